// Counts what people typed from the raw lines of real transcripts, without our reader, and looks for each in the store: typed and
// queued prompts, commands with arguments, shell lines, answers to questions, what was said to a plan or a tool, and pictures.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/capture/redaction/redact.ts';
import { workbench } from './transcript-builder.ts';

type Line = Record<string, unknown>;
interface Typed {
  readonly kind: 'prompt' | 'queued' | 'command' | 'shell' | 'answer' | 'comment' | 'picture';
  readonly session: string;
  /** Forks copy lines with their ids. A queued prompt has none. */
  readonly id: string | undefined;
  /** What the stored text must contain: the whole of it for a prompt, command or shell line. Of pictures, their number. */
  readonly text: string;
}

const bench = path.join(import.meta.dirname, '../../../shared/bench');
const archives = ['real-transcripts.tar.gz', 'coding-sessions.tar.gz'].map((name) => path.join(bench, name));

describe.skipIf(!archives.every((file) => fs.existsSync(file)))('what people typed', () => {
  it('is in the store, all of it, word for word', async () => {
    const { home, store, ingest } = await workbench();
    for (const archive of archives) execFileSync('tar', ['xzf', archive, '-C', home]);
    const folders = ['real-transcripts/claude-code/projects', 'coding-sessions/projects'].map((at) =>
      path.join(home, at),
    );
    const typed = new Map<string, Typed>();
    for (const folder of folders) {
      await ingest({ dir: folder, later: true });
      for (const key of fs.readdirSync(folder, { recursive: true }) as string[])
        if (key.endsWith('.jsonl') && !path.basename(key).startsWith('agent-'))
          for (const [i, one] of typedIn(path.join(folder, key)).entries())
            typed.set(one.id === undefined ? `${key} ${i}` : `${one.id} ${one.kind}`, one);
    }
    const [byId, bySession] = [new Map<string, string>(), new Map<string, Map<string, string>>()];
    for (const { agent, id } of await store.sessions.list({}))
      for (const entry of await store.entries.transcript(agent, id)) {
        if (entry.author !== 'person') continue;
        byId.set(entry.id, plain(entry.text));
        bySession.set(id, (bySession.get(id) ?? new Map()).set(entry.id, plain(entry.text)));
      }
    // What has no id of its own must be an entry that no other line accounts for.
    const taken = new Set([...typed.values()].map(({ id }) => id));
    const isStored = ({ kind, session, id, text }: Typed): boolean => {
      const wanted = plain(redact(text));
      if (id !== undefined) {
        const found = byId.get(id);
        if (kind === 'picture') return pictures(found ?? '') === Number(text);
        return isWhole.has(kind)
          ? plain(found?.replace(picture, '') ?? '') === wanted
          : found?.includes(wanted) === true;
      }
      const [own] = [...(bySession.get(session) ?? [])].find(([at, said]) => !taken.has(at) && said === wanted) ?? [];
      taken.add(own);
      return own !== undefined;
    };
    const counts: Record<string, { typed: number; stored: number }> = {};
    const missing: Typed[] = [];
    for (const one of typed.values()) {
      counts[one.kind] ??= { typed: 0, stored: 0 };
      const count = counts[one.kind] as { typed: number; stored: number };
      count.typed++;
      if (isStored(one)) count.stored++;
      else missing.push(one);
    }
    console.log('typed by people:', counts);
    expect(missing).toEqual([]);
    // The archives do not change, so neither does this count.
    const typedOf = Object.fromEntries(Object.entries(counts).map(([kind, count]) => [kind, count.typed]));
    expect(typedOf).toEqual({ prompt: 764, command: 87, picture: 24, answer: 21, queued: 11, shell: 5, comment: 3 });
  }, 300_000);
});

/** How the store names a picture that the text does not name already. */
const picture = /\[Image: [\w/+.-]+\]/g;
const pictures = (text: string): number => text.match(/\[Image(?: #\d+|: [\w/+.-]+)\]/g)?.length ?? 0;
const isWhole = new Set<Typed['kind']>(['prompt', 'queued', 'command', 'shell']);
const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
const parts = (content: unknown): Line[] => (Array.isArray(content) ? (content as Line[]) : []);
const texts = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : parts(content)
        .map((part) => (part.type === 'text' ? String(part.text) : ''))
        .join('\n');
const injected = /<(system-reminder|ide_\w+|local-command-caveat)>[\s\S]*?<\/\1>/g;
const machine =
  /^(<task-notification|<local-command|<bash-std|<system-reminder|<teammate-message|\{"task_id"|\[Request interrupted|Caveat: |This session is being continued)/;
/** What a person says when refusing a plan or a tool. */
const comment = /(?:reason for the rejection:|the user said:)\s+([\s\S]*?)(?:\n\nNote: |$)/;

function typedIn(file: string): Typed[] {
  const lines = fs.readFileSync(file, 'utf8').split('\n').flatMap(parsed);
  const found: Typed[] = [];
  const queued: Typed[] = [];
  for (const line of lines) {
    const session = String(line.sessionId ?? path.basename(file, '.jsonl'));
    const id = line.uuid === undefined ? undefined : String(line.uuid);
    const { content } = (line.message ?? {}) as Line;
    if (line.type === 'queue-operation' && line.operation === 'enqueue') {
      const text = texts(line.content).replace(injected, '').trim();
      if (text !== '' && !machine.test(text)) queued.push({ kind: 'queued', session, id: undefined, text });
    }
    const attachment = (line.attachment ?? {}) as Line;
    if (line.type === 'attachment' && attachment.type === 'queued_command' && isPersons(line, attachment))
      found.push(...said('prompt', session, id, texts(attachment.prompt)));
    if (line.type !== 'user' || line.isSidechain) continue;
    for (const answer of answersIn(line)) found.push({ kind: 'answer', session, id, text: answer });
    for (const { type, content: result } of parts(content)) {
      const [, words = ''] = (type === 'tool_result' && comment.exec(texts(result))) || [];
      if (words !== '') found.push({ kind: 'comment', session, id, text: words });
    }
    if (line.isMeta || line.isCompactSummary || !isPersons(line, line)) continue;
    const shown = parts(content).filter(({ type }) => type === 'image').length;
    if (shown > 0) found.push({ kind: 'picture', session, id, text: String(shown) });
    found.push(...said('prompt', session, id, texts(content)));
  }
  // The client repeats most of what was queued, as a line of its own or among others.
  const repeats = found.map(({ text }) => text);
  return [
    ...found,
    ...queued.filter(({ text }) => {
      const at = repeats.findIndex((other) => other.includes(text));
      if (at >= 0) repeats[at] = (repeats[at] as string).replace(text, '');
      return at < 0;
    }),
  ];
}

function said(kind: 'prompt', session: string, id: string | undefined, raw: string): Typed[] {
  const text = raw.replace(injected, '').trim();
  if (text === '' || machine.test(text)) return [];
  const tag = (name: string) => new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1]?.trim() ?? '';
  if (tag('command-name') !== '')
    // The first clients left out the slash.
    return [
      { kind: 'command', session, id, text: `/${tag('command-name').replace(/^\//, '')} ${tag('command-args')}` },
    ];
  if (tag('bash-input') !== '') return [{ kind: 'shell', session, id, text: `! ${tag('bash-input')}` }];
  return [{ kind, session, id, text }];
}

const isPersons = ({ promptSource }: Line, { origin }: Line): boolean =>
  ['human', undefined].includes(((origin ?? {}) as { kind?: string }).kind) && promptSource !== 'system';

function answersIn({ toolUseResult }: Line): string[] {
  const { answers } = ((typeof toolUseResult === 'object' && toolUseResult) || {}) as Line;
  return Object.values((answers ?? {}) as Line)
    .flatMap((answer) => (Array.isArray(answer) ? answer.map(String) : [String(answer)]))
    .filter((answer) => answer.trim() !== '');
}

function parsed(row: string): Line[] {
  try {
    return [JSON.parse(row) as Line];
  } catch {
    return [];
  }
}
