// A plan that the person accepted: handed to a new session as its first prompt, or approved in the session that made it.
import { cut, inOneLine } from '../../language/gist.ts';
import type { Turn } from '../material.ts';
import { capital } from './say.ts';

export interface Plan {
  /** Absent when the heading says nothing. */
  readonly title?: string;
  /** Empty where only the title is known. */
  readonly text: string;
  readonly entry: string;
  readonly at: string;
}

const handedOver = /^\s*(?:please\s+)?implement (?:the|this) (?:following )?plan\b/i;
const approved = /^\[Approved the plan(?:: ([^\]\n]+))?\]/;

/** The plan that a turn begins with, or that was approved in it. */
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

/** True for what a person answered to a plan: nothing was interrupted, the work went on. */
export const isApproval = (text: string): boolean => approved.test(text);

/** Headings that every plan may have. */
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
