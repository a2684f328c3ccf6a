// Finds a plan that the person accepted: as the first prompt of a new session, or by approving it in the session that wrote it.
import { cut, inOneLine, inputField } from '../../language/gist.ts';
import type { Turn } from '../material.ts';
import { capital } from './say.ts';

export interface Plan {
  /** Absent if the heading says nothing. */
  readonly title?: string;
  /** Empty if only the title is known. */
  readonly text: string;
  readonly entry: string;
  readonly at: string;
}

const handedOver = /^\s*(?:please\s+)?implement (?:the|this) (?:following )?plan\b/i;
const approved = /^\[Approved the plan(?:: ([^\]\n]+))?\]/;

/** The plan that a turn begins with, or that the person approved in it. */
export function planOf({ request, entries }: Turn): Plan | undefined {
  if (request !== undefined && handedOver.test(request.text)) {
    const heading = /^#{1,2}\s+(.+)$/m.exec(request.text.slice(0, 4000))?.[1];
    return { ...titled(heading), text: request.text, entry: request.id, at: request.at };
  }
  for (const { form, text, id, at } of entries) {
    const found = form === 'verdict' ? approved.exec(text) : null;
    if (found !== null) return { ...titled(found[1]), text: '', entry: id, at };
  }
  return undefined;
}

const planTool = /^exit_?plan_?mode$/i;
const planFile = /[\\/]\.(?:claude|codex|gemini|cursor|copilot)[\\/]+plans[\\/]/;

/** The heading of the last plan that the agent wrote in a turn, whether the person accepted it or not. */
export function proposedTitle({ toolUses }: Pick<Turn, 'toolUses'>): string | undefined {
  for (const { tool, input } of [...toolUses].reverse()) {
    const isPlan = planTool.test(tool) || (/write/i.test(tool) && planFile.test(input.slice(0, 600)));
    const text = isPlan ? (inputField(input, 'plan', 600) ?? inputField(input, 'content', 600)) : undefined;
    const { title } = titled(/^#{1,2}\s+(.+)$/m.exec(text ?? '')?.[1]);
    if (title !== undefined) return title;
  }
  return undefined;
}

/** True for a person's answer that approves a plan. It does not interrupt the work. */
export const isApproval = (text: string): boolean => approved.test(text);

/** Headings that any plan may have, which say nothing about this one. */
const sayNothing =
  /^(?:(?:implementation|refactoring|development|the|my|final|proposed|updated|detailed) )*(?:plan|overview|context|summary|goal|background|problem|approach|implementation|changes|steps)\W*$/i;

function titled(heading: string | undefined): { readonly title?: string } {
  const title = inOneLine(heading ?? '')
    .replace(/^(?:(?:implementation |refactoring )?plan(?: for| to)?\s*[:—–-]\s*|plan (?:to|for)\s+(?=\w))/i, '')
    .replace(/\s*[:—–-]?\s*(?:implementation )?plan$/i, '')
    .replace(/[.:]+$/, '')
    .trim();
  return !/\S\s+\S/.test(title) || title.length < 6 || sayNothing.test(title)
    ? {}
    : { title: capital(cut(title, 110)) };
}
