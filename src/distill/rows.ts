// A distiller's text → the row to store. Files, tools, times and sources come from the material.

import { isAnswer } from '../language/open-ends.ts';
import type { ObservationText } from '../schema/observation.ts';
import type { SummaryText } from '../schema/summary.ts';
import type { NewObservation, NewSummary } from '../store/distilled/port.ts';
import type { SessionMaterial, Turn } from './material.ts';
import { commitTitles, deedsOf } from './offline/deeds.ts';
import { readingOf } from './offline/observe.ts';
import { unique } from './offline/say.ts';

export interface Maker {
  /** `offline`, or the model. */
  readonly by: string;
  readonly tokens: number;
}

const mostFiles = 100;
const mostEntries = 60;
const mostCommits = 100;

/** Cites the prompt, the last answer, and the entries with changes, failures, decisions or findings. */
export function observationOf(turn: Turn, text: ObservationText, { by, tokens }: Maker): NewObservation {
  const { modified, read, tools, entries } = deedsOf(turn);
  const { decisions = [], findings = [] } = readingOf(turn) ?? {};
  const said = [...decisions, ...findings].map(({ entry }) => entry);
  const cited = new Set([...entries, ...said, turn.entries.findLast(isAnswer)?.id]);
  const first = turn.entries[0]?.id ?? '';
  const others = turn.entries.map(({ id }) => id).filter((id) => id !== first && cited.has(id));
  return {
    agent: turn.agent,
    session: turn.session,
    prompt: turn.prompt,
    at: turn.endedAt,
    type: text.type,
    title: text.title,
    subtitle: text.subtitle,
    facts: text.facts,
    narrative: text.narrative,
    concepts: text.concepts,
    filesRead: read.slice(0, mostFiles),
    filesModified: modified.slice(0, mostFiles),
    tools: [...tools],
    entries: [first, ...others.slice(-mostEntries)],
    by,
    tokens,
  };
}

export function summaryOf(session: SessionMaterial, text: SummaryText, { by, tokens }: Maker): NewSummary {
  const deeds = session.turns.map(deedsOf);
  const modified = unique(deeds.flatMap((one) => one.modified));
  const read = unique(deeds.flatMap((one) => one.read)).filter((file) => !modified.includes(file));
  return {
    agent: session.agent,
    session: session.session,
    at: session.endedAt,
    prompts: session.prompts,
    title: text.title,
    request: text.request,
    investigated: text.investigated,
    learned: text.learned,
    completed: text.completed,
    outcome: text.outcome,
    nextSteps: text.nextSteps,
    notes: text.notes,
    filesRead: read.slice(0, mostFiles),
    filesModified: modified.slice(0, mostFiles),
    commits: unique(deeds.flatMap(commitTitles)).slice(0, mostCommits),
    by,
    tokens,
  };
}
