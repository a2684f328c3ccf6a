// What is kept between two lines of a transcript, so that reading can continue later: the agent's reader keeps its
// part, capture keeps its own. Both are stored with the file's offset, with the vault's copy, and in pulled
// transcripts.
import { z } from 'zod';
import { FactKind, TitleSource } from './session-fact.ts';

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

/** What an agent's reader keeps. Only that reader knows the names. */
export const AgentState = z.record(z.string(), Scalar);
export type AgentState = z.infer<typeof AgentState>;

const Fact = z.object({ kind: FactKind, value: z.string(), pos: z.int().min(0) });
const Turn = z.object({ from: z.number(), until: z.number().optional() });

/** What capture keeps. Contract: lists are replaced, never changed, since chunks share them. */
export const CaptureState = z.object({
  session: z.string().optional().describe('the session that lines belong to'),
  cwd: z.string().optional().describe('the folder that the header names'),
  parent: z.string().optional().describe('the session that this one works for as a subagent'),
  lineAt: z.number().optional().describe('when the last line with a time was written'),
  lastEntry: z.number().optional().describe('position of the last entry'),
  lastAt: z.number().optional().describe('time of the last entry'),
  recalls: z.array(z.string()).readonly().optional().describe('the last uses of our own tools, whose results are ours'),
  ours: z.boolean().optional().describe('our own distiller wrote the file'),
  unknown: z.record(z.string(), z.number()).optional().describe('lines of unknown kinds, by kind'),

  title: z.string().optional().describe('the title of the session; it may come before the first entry'),
  titleBy: TitleSource.optional(),
  hiddenTitle: z.string().optional().describe('hash of the last title that was not stored: agents repeat titles'),
  branch: z.string().optional().describe('hash of the last branch and its session: nearly every line repeats it'),
  fork: z.string().optional().describe('hash of the last fork and its session'),
  earlyFacts: z.array(Fact).readonly().optional().describe('facts that came before the first entry'),

  privateIn: z.string().optional().describe('the session whose last prompt was wholly private'),
  privateTurns: z.array(Turn).readonly().optional().describe('when such turns began and ended; the last may be open'),
  privateUses: z.array(z.string()).readonly().optional().describe('tool uses in such turns: their tasks report later'),
  folderOf: z.string().optional().describe('the session that `folder` is about'),
  folder: z.string().optional().describe('the folder that the session began in'),
  ignored: z.boolean().optional().describe('the session works in an ignored folder'),

  hubLines: z.number().optional().describe('how many entries of the transcript the hub had'),
});
export type CaptureState = z.infer<typeof CaptureState>;

export const ReaderState = z.object({ version: z.literal(1), agent: AgentState, capture: CaptureState });
export type ReaderState = z.infer<typeof ReaderState>;

export const emptyState = (): ReaderState => ({ version: 1, agent: {}, capture: {} });

/** A copy that can be changed without changing this one. */
export const copyState = ({ version, agent, capture }: ReaderState): ReaderState => ({
  version,
  agent: { ...agent },
  capture: { ...capture },
});

/** Earlier versions kept both parts in one record of plain values, and marked the names of capture with an @. */
const FlatState = AgentState.transform((flat, context) => {
  try {
    return fromFlat(flat);
  } catch {
    context.addIssue('no version of the reader writes such a state');
    return z.NEVER;
  }
});

/** A stored state of this version or an earlier one. */
export const StoredState = z.union([ReaderState, FlatState]);

/** The state in a row of the store. Throws if no version writes such a state. */
export function parseState(json: string): ReaderState {
  const value = JSON.parse(json);
  // Rows of this version are ours. Validating each of them would cost more than reading it, and an import reads them
  // all.
  return value?.version === 1 && typeof value.capture === 'object' ? value : StoredState.parse(value);
}

const order = Object.keys(CaptureState.shape) as (keyof CaptureState)[];

/** For a row of the store. Equal states give equal text, in whatever order values were set. */
export function formatState({ version, agent, capture }: ReaderState): string {
  const ordered: Partial<Record<keyof CaptureState, unknown>> = {};
  for (const name of order) if (capture[name] !== undefined) ordered[name] = capture[name];
  return JSON.stringify({ version, agent, capture: ordered });
}

const names: Readonly<Record<string, keyof CaptureState>> = {
  '@session': 'session',
  '@cwd': 'cwd',
  '@parent': 'parent',
  '@line': 'lineAt',
  '@entry': 'lastEntry',
  '@at': 'lastAt',
  '@recalls': 'recalls',
  '@ours': 'ours',
  '@unknown': 'unknown',
  '@title': 'title',
  '@titleBy': 'titleBy',
  '@hidden': 'hiddenTitle',
  '@branch': 'branch',
  '@fork': 'fork',
  '@facts': 'earlyFacts',
  '@private': 'privateIn',
  '@turns': 'privateTurns',
  '@private-uses': 'privateUses',
  '@of': 'folderOf',
  '@folder': 'folder',
  '@ignored': 'ignored',
  '@hub': 'hubLines',
};

/** Lists were stored as text. */
const lists: Readonly<Partial<Record<keyof CaptureState, (text: string) => unknown>>> = {
  recalls: (text) => text.split('\n'),
  privateUses: (text) => text.split(' '),
  earlyFacts: (text) => JSON.parse(text),
  unknown: (text) => Object.fromEntries(JSON.parse(text)),
  privateTurns: (text) =>
    text.split(' ').map((turn) => {
      const [from = '', until = ''] = turn.split('-');
      return { from: Number(from), ...(until === '' ? {} : { until: Number(until) }) };
    }),
};

function fromFlat(flat: AgentState): ReaderState {
  const agent: AgentState = {};
  const capture: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(flat)) {
    const name = names[key];
    const list = name === undefined ? undefined : lists[name];
    if (name === undefined) agent[key] = value;
    else capture[name] = list === undefined ? value : list(String(value));
  }
  return { version: 1, agent, capture: CaptureState.parse(capture) };
}
