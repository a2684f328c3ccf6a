// Random transcripts from a seed: forks, gaps, equal times, branches, malformed lines, every script.
import { type Json, minute, type Part, prompt, start, toolResult, toolUse } from './transcript-builder.ts';

export type Random = ReturnType<typeof random>;

/** mulberry32: small, and the same everywhere. */
export function random(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return {
    below,
    chance: (share: number): boolean => next() < share,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    shuffle<T>(items: readonly T[]): T[] {
      const out = [...items];
      for (let i = out.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [out[i], out[j]] = [out[j] as T, out[i] as T];
      }
      return out;
    },
  };
}

const words = ['tide', 'Grüße', '海の底', '🐙', 'naïve', 'שלום', 'e\u0301', '\u2028', '"quoted"', 'back\\slash', '\0'];
// None of them begins with a complete JSON object: such a line, cut there, looks like a finished one.
const malformed = ['not json', '{"cut": "', '[1, 2]', '"text"', '{"a" 1}', '}{', '\u0001\u0002', '   '];

/** The lines of a few sessions that share history, by key. */
export function randomTranscripts(seed: number): Map<string, Part[]> {
  const { below, chance, pick } = random(seed);
  const files = new Map<string, Part[]>();
  const count = 1 + below(4);
  let made = 0;
  for (let i = 0; i < count; i++) {
    const session = `s${i}`;
    const lines: Part[] = [];
    const ids: string[] = [];
    let minutes = below(200);
    const before = [...files.values()];
    if (before.length > 0 && chance(0.6)) {
      const source = pick(before);
      const copied = source.slice(0, 1 + below(source.length)).filter((line) => !isPrompt(line) || chance(0.95));
      for (const line of copied) {
        const copy = isLine(line) && line.sessionId !== undefined ? { ...line, sessionId: session } : line;
        lines.push(copy);
        if (isLine(copy) && typeof copy.uuid === 'string') ids.push(copy.uuid);
      }
      minutes += below(400);
    }
    /** Prompts typed while the agent works, from few words, so that some repeat. */
    const queueLines = (operation: string): Json[] => {
      const typed = pick(['go on', 'yes', 'tide', '/model', 'yes']);
      const timestamp = new Date(start + minutes * minute).toISOString();
      if (operation === 'given')
        return [
          {
            type: 'attachment',
            uuid: `${session}-${made++}`,
            sessionId: session,
            timestamp,
            attachment: { type: 'queued_command', prompt: typed, commandMode: 'prompt' },
          },
        ];
      const content = operation === 'enqueue' || (operation === 'popAll' && chance(0.5)) ? { content: typed } : {};
      const line = { type: 'queue-operation', operation, sessionId: session, timestamp, ...content };
      return operation === 'enqueue' && chance(0.3)
        ? [line, { ...line, operation: 'remove', content: undefined }, ...queueLines('given')]
        : [line];
    };
    for (let n = 1 + below(12); n > 0; n--) {
      minutes += pick([0, 0, 1, 7, 59, 60, 61, 300]) + (chance(0.1) ? 0.0001 : 0);
      const uuid = `${session}-${made++}`;
      const parentUuid = ids.length === 0 || chance(0.05) ? null : chance(0.8) ? (ids.at(-1) ?? null) : pick(ids);
      const text = Array.from({ length: 1 + below(6) }, () => pick(words)).join(' ');
      const more: Json = {
        sessionId: chance(0.9) ? session : undefined,
        parentUuid,
        cwd: pick(['/w/a', '/w/b', undefined]),
        gitBranch: pick(['main', 'main', 'tides', 'HEAD', undefined]),
      };
      const kind = below(10);
      if (kind < 4) lines.push(prompt(uuid, text, minutes, more));
      else if (kind < 8) {
        const tool = chance(0.5) ? pick(['Bash:0', uuid]) : undefined;
        lines.push(answerOf(uuid, text, minutes, more, tool));
        // Each use has one result. Copies of it are the same.
        if (tool !== undefined && chance(0.8)) lines.push({ ...toolResult(`${uuid}r`, tool, text, minutes), ...more });
      }
      if (kind === 8)
        lines.push(
          pick([
            { type: 'custom-title', customTitle: text },
            { type: 'ai-title', aiTitle: text },
            { type: 'summary', summary: text, leafUuid: pick(['s0-0', 's0-1', 's1-2', ...ids]) },
            { type: 'pr-link', prUrl: pick(['https://a.example/1', 'https://a.example/2']), prRepository: 'a/b' },
            { type: 'system', uuid, ...more },
          ]),
        );
      if (kind === 9) lines.push(`${pick(malformed)}\n`);
      if (chance(0.25)) lines.push(...queueLines(pick(['enqueue', 'remove', 'popAll', 'dequeue', 'given'])));
      if (kind < 9) ids.push(uuid);
      if (chance(0.03)) lines.push(lines.at(-1) as Part);
    }
    if (chance(0.1)) lines.push('{"type":"user","uuid":"unfinished');
    files.set(chance(0.2) && i > 0 ? `p/s0/subagents/agent-${i}.jsonl` : `p/${session}.jsonl`, lines);
  }
  return files;
}

const isLine = (part: Part): part is Json => typeof part === 'object' && !Buffer.isBuffer(part);

/** A line that no later line needs. */
const isPrompt = (part: Part): boolean => isLine(part) && typeof asMessage(part).content === 'string';

const asMessage = (line: Json): Json => (line.message ?? {}) as Json;

const answerOf = (uuid: string, text: string, minutes: number, more: Json, tool: string | undefined): Json => ({
  ...prompt(uuid, '', minutes, more),
  type: 'assistant',
  message: {
    role: 'assistant',
    content: [{ type: 'text', text }, ...(tool === undefined ? [] : [toolUse(tool, 'Bash', { command: text })])],
  },
});
