// Kinds of lines that yield nothing, from the client's own table in 2.1.325 and from older clients. Any other kind counts
// as unknown.
import { asObject } from '../json.ts';

const idle: ReadonlySet<unknown> = new Set(
  (
    'agent-color agent-name agent-setting api-request api-request-blob api-request-shape artifact-autoreact-ledger ' +
    'artifact-comment-monitor atis-latch attachment attribution-snapshot bridge-session content-replacement continued-in cost-state ' +
    'data-flow-incomplete data-flow-records derived-from dev-mods ended-by-model file-history-delta file-history-snapshot ' +
    'fork-context-ref frame-link history-suppression isolation-latch last-prompt memory-mode mode observer-ref permission-mode ' +
    'progress relocated resume-head-vouch session-owner system tag tools-used worktree-state ' +
    'marble-origami-commit marble-origami-snapshot speculation-accept task-summary'
  ).split(' '),
);

/** Kinds whose lines may yield something. */
const read = ['user', 'assistant', 'queue-operation', 'custom-title', 'ai-title', 'summary', 'pr-link'];

export const knownKinds: ReadonlySet<unknown> = new Set([...idle, ...read]);

/** Words of which a line that yields something contains one. */
const words = [...read, 'queued_command', 'local_command'].map((kind) => Buffer.from(`"${kind}"`));

const typeField = Buffer.from('"type":"');

/** Judges without parsing. A line whose first kind is not known is parsed, so that it can be counted. */
export function cannotMatter(line: Buffer): boolean {
  if (words.some((word) => line.includes(word))) return false;
  const at = line.indexOf(typeField);
  if (at < 0) return true;
  const from = at + typeField.length;
  return idle.has(line.toString('latin1', from, Math.max(from, line.indexOf('"', from))));
}

/** Kinds of lines that may hold names of files, tasks and words of earlier turns. */
const retelling: ReadonlySet<unknown> = new Set(
  (
    'agent-name content-replacement file-history-delta file-history-snapshot marble-origami-commit marble-origami-snapshot ' +
    'progress tag task-summary worktree-state'
  ).split(' '),
);
const retellingAttachments = /todo|task|edited|compact|plan_file|async|invoked/;

export function retells({ type, subtype, attachment }: Readonly<Record<string, unknown>>): boolean {
  if (type === 'attachment') return retellingAttachments.test(String(asObject(attachment).type));
  return type === 'system' ? /summary|memory/.test(String(subtype)) : retelling.has(type);
}
