// Tokens that a transcript states. Agents name them differently; each agent's own file reads its lines with these.
import { asObject, asString } from './json.ts';

/** The tokens of one answer of a model. `input` excludes tokens read from or written to a cache. */
export interface StatedUsage {
  /** The answer: lines that repeat it give the same id, and the last one counts. Absent if each line is an answer. */
  readonly id?: string | undefined;
  /** The session, if the line names it: one file may hold several. */
  readonly session?: string | undefined;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Written to a cache that lasts an hour, which costs more. */
  readonly cacheWriteHour: number;
}

/** What a reader of usage keeps between two lines. */
export interface UsageState {
  model?: string | undefined;
}

/** Contract: never throws on any JSON value. */
export type ReadUsage = (value: unknown, state: UsageState) => StatedUsage | undefined;

/** More than any model uses at once: a damaged line must not spoil the sum. */
const most = 1e9;
const count = (value: unknown): number =>
  typeof value === 'number' && value > 0 && value <= most ? Math.round(value) : 0;

/** `usage` of Anthropic's API, below `message`. */
export const anthropicUsage: ReadUsage = (value) => {
  const message = asObject(asObject(value).message);
  if (message.usage === undefined) return undefined;
  const usage = asObject(message.usage);
  const hour = count(asObject(usage.cache_creation).ephemeral_1h_input_tokens);
  return stated({
    id: asString(message.id),
    session: asString(asObject(value).sessionId),
    model: asString(message.model) ?? '',
    input: count(usage.input_tokens),
    output: count(usage.output_tokens),
    cacheRead: count(usage.cache_read_input_tokens),
    cacheWrite: Math.max(0, count(usage.cache_creation_input_tokens) - hour),
    cacheWriteHour: hour,
  });
};

/** Events of Codex: the context of the turn names the model, and an event after each answer states the tokens. */
export const codexUsage: ReadUsage = (value, state) => {
  const outer = asObject(value);
  const line = outer.type === 'rollout' ? asObject(outer.message) : outer;
  const payload = asObject(line.payload);
  if (line.type === 'turn_context') state.model = asString(payload.model) ?? state.model;
  if (line.type !== 'event_msg' || payload.type !== 'token_count') return undefined;
  const last = asObject(asObject(payload.info).last_token_usage);
  const [cached, written] = [count(last.cached_input_tokens), count(last.cache_write_input_tokens)];
  return stated({
    model: state.model ?? '',
    input: Math.max(0, count(last.input_tokens) - cached - written),
    output: count(last.output_tokens),
    cacheRead: cached,
    cacheWrite: written,
    cacheWriteHour: 0,
  });
};

export const piUsage: ReadUsage = (value) => {
  const message = asObject(asObject(value).message);
  if (message.usage === undefined) return undefined;
  const usage = asObject(message.usage);
  return stated({
    model: asString(message.model) ?? '',
    input: count(usage.input),
    output: count(usage.output),
    cacheRead: count(usage.cacheRead),
    cacheWrite: count(usage.cacheWrite),
    cacheWriteHour: 0,
  });
};

/** Gemini CLI states tokens with each message, and writes a message again while it grows. */
export const geminiUsage: ReadUsage = (value) => {
  const line = asObject(value);
  const message = line.type === 'message' ? asObject(line.message) : line;
  if (message.tokens === undefined) return undefined;
  const tokens = asObject(message.tokens);
  const cached = count(tokens.cached);
  return stated({
    id: asString(message.id),
    model: asString(message.model) ?? '',
    input: Math.max(0, count(tokens.input) - cached),
    output: count(tokens.output) + count(tokens.thoughts),
    cacheRead: cached,
    cacheWrite: 0,
    cacheWriteHour: 0,
  });
};

/** An answer without tokens, such as one that the client itself wrote, states nothing. */
const stated = (usage: StatedUsage): StatedUsage | undefined =>
  usage.input + usage.output + usage.cacheRead + usage.cacheWrite + usage.cacheWriteHour === 0 ? undefined : usage;
