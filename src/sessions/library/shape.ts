// The content of the files, and checks of parsed values.
import { canBeId } from './names.ts';

export interface StoredMessage {
  role: string;
  /** Any JSON. */
  content: unknown;
  [field: string]: unknown;
}

export interface SessionMetadata {
  id: string;
  name: string;
  description?: string;
  createdAt: string;
  lastActivityAt: string;
  messageCount: number;
  /** The first 200 characters of the first user message. */
  firstMessage: string;
  provider: string;
  model: string;
}

export interface StoredSession {
  metadata: SessionMetadata;
  messages: StoredMessage[];
  /** For display only. Not part of the messages. */
  contextSummary?: string;
}

export interface SessionIndex {
  version: '1.0';
  sessions: Record<string, SessionMetadata>;
  updatedAt: string;
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isText = (value: unknown): value is string => typeof value === 'string';

const isMessage = (value: unknown): value is StoredMessage =>
  isObject(value) && isText(value.role) && 'content' in value && value.content !== undefined;

function isMetadata(value: unknown, id: string): value is SessionMetadata {
  return (
    isObject(value) &&
    value.id === id &&
    canBeId(id) &&
    [value.name, value.firstMessage, value.provider, value.model].every(isText) &&
    isTime(value.createdAt) &&
    isTime(value.lastActivityAt) &&
    Number.isInteger(value.messageCount) &&
    (value.description === undefined || isText(value.description))
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // undefined passes no check of the caller
  }
}

/** The session in a file's text. Undefined if the text is anything else. */
export function parseSession(text: string, id: string): StoredSession | undefined {
  const value = parse(text);
  return isSession(value, id) ? value : undefined;
}

const isSession = (value: unknown, id: string): value is StoredSession =>
  isObject(value) &&
  isMetadata(value.metadata, id) &&
  Array.isArray(value.messages) &&
  value.messages.every(isMessage) &&
  (value.contextSummary === undefined || isText(value.contextSummary));

export function parseIndex(text: string): SessionIndex | undefined {
  const value = parse(text);
  return isIndex(value) ? value : undefined;
}

const isIndex = (value: unknown): value is SessionIndex =>
  isObject(value) &&
  value.version === '1.0' &&
  isTime(value.updatedAt) &&
  isObject(value.sessions) &&
  Object.entries(value.sessions).every(([id, metadata]) => isMetadata(metadata, id));

/** What is wrong with messages to be saved, or undefined. */
export function problemWithMessages(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return 'messages must be a list';
  const at = messages.findIndex((message) => !isMessage(message));
  return at < 0 ? undefined : `message ${at + 1} must be an object with a role (text) and a content`;
}
