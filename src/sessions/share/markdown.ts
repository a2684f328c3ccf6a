// A shared session as Markdown: prompts, answers, commands with their output, edits as patches.
import { deedOf } from '../../schema/deed.ts';
import { differenceOf } from '../../schema/line-difference.ts';
import { localTime } from '../../schema/local-time.ts';
import type { SharedEntry, SharedSession, SharedUse } from './shared.ts';

export function sharedMarkdown(shared: SharedSession, { timeZone, assistant }: Wording): string {
  const facts = [
    `- Project: ${inline(shared.project)}`,
    ...(shared.branch === undefined ? [] : [`- Branch: ${inline(shared.branch)}`]),
    ...(shared.links ?? []).map((link) => `- Link: ${inline(link)}`),
    ...(shared.tags === undefined ? [] : [`- Tags: ${shared.tags.map(inline).join(', ')}`]),
    `- Time: ${localTime(shared.startedAt, timeZone)} to ${localTime(shared.endedAt, timeZone)} (${timeZone})`,
    `- Session: ${shared.agent} ${inline(shared.id)}`,
  ];
  const body = shared.entries.map((entry) => sharedEntry(entry, { timeZone, assistant }));
  return `${[`# ${inline(shared.title)}`, facts.join('\n'), '---', ...body].join('\n\n')}\n`;
}

export interface Wording {
  readonly timeZone: string;
  /** The model's name. */
  readonly assistant: string;
}

export const whoSaid = ({ author, subagent }: SharedEntry, { assistant }: Wording): string =>
  subagent !== undefined ? 'Subagent' : author === 'person' ? 'User' : author === 'machine' ? 'Machine' : assistant;

function sharedEntry(entry: SharedEntry, wording: Wording): string {
  const head = `## ${whoSaid(entry, wording)}, ${localTime(entry.at, wording.timeZone)}`;
  return [head, ...(entry.text === '' ? [] : [entry.text]), ...(entry.uses ?? []).map(sharedUse)].join('\n\n');
}

function sharedUse(use: SharedUse): string {
  const deed = deedOf(use);
  const failed = use.outcome === 'error' ? ' (failed)' : '';
  const output = use.output === undefined || use.output.trim() === '' ? [] : [fenced(use.output.trimEnd(), 'text')];
  if (deed.kind === 'command')
    return [`**${inline(use.tool)}**${failed}`, fenced(deed.command, 'sh'), ...output].join('\n\n');
  if (deed.kind === 'edit') {
    const patch = differenceOf(deed.changes).map(({ sign, text }) => (sign === '…' ? '@@' : `${sign}${text}`));
    return [`**${inline(use.tool)}** ${inline(deed.file)}${failed}`, fenced(patch.join('\n'), 'diff')].join('\n\n');
  }
  return [`**${inline(use.tool)}** ${inline(deed.gist)}${failed}`, ...output].join('\n\n');
}

/** Uses a fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const inline = (text: string): string => text.replace(/\s+/g, ' ').trim();
