// A request about an issue or a pull request → a title that says what it is about, as the agent looked it up.
import type { Turn } from '../material.ts';
import { plainTitle } from './commit-title.ts';
import type { Shown } from './deeds.ts';
import { shortened } from './heading.ts';
import type { Asked } from './request.ts';
import { capital } from './say.ts';

const longest = 110;

export interface Request {
  readonly turn: Pick<Turn, 'request'>;
  readonly asked: Pick<Asked, 'title' | 'sound'>;
}

const byNumber = /(?:#|\/(?:pull|issues|merge_requests)\/|\b(?:pr|issue|pull request) )(\d+)\b/i;
const refersToOne = /\b(?:pr|mr|pull request|issue|ticket|review\w*|comments?|ci|conflicts?|rebase|alerts?)\b/i;
const textOf = ({ turn }: Request): string => turn.request?.text.slice(0, 600) ?? '';

/** Empty if the request says enough by itself, or names no number that the agent looked up. */
export function aboutNumber(request: Request, shown: readonly Shown[]): string {
  const number = byNumber.exec(textOf(request))?.[1];
  const subject = number === undefined ? undefined : shown.find((one) => one.number === number);
  return subject === undefined || request.asked.sound ? '' : withSubject(request.asked.title, subject);
}

/** Also if the request names no number: `fix the conflicts`. */
export function aboutShown(request: Request, shown: readonly Shown[]): string {
  const text = textOf(request);
  if (byNumber.test(text)) return aboutNumber(request, shown);
  const [subject] = refersToOne.test(text) ? shown : [];
  return subject === undefined || request.asked.sound ? '' : withSubject(request.asked.title, subject);
}

const names = /^(?:review|address|fix|resolve|implement|close|triage|rebase|merge|investigate|check)\b/i;

/** `Look at issue #12` → `Issue #12: Tides are late`. Other requests keep their words before the subject. */
function withSubject(asked: string, { kind, number, title }: Shown): string {
  const lead =
    names.test(asked) && asked.length <= 50 ? asked : capital(`${kind}${number === undefined ? '' : ` #${number}`}`);
  return shortened(`${lead}: ${plainTitle(title)}`, longest);
}
