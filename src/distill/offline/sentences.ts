// The sentences of answers. Several rules read the same answers, so each is split once.

import { type Sentence, sentencesOf } from '../../language/gist.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Reading } from './observe.ts';

const ofEntries = new WeakMap<Entry, readonly Sentence[]>();
const ofAnswers = new WeakMap<Reading, readonly Sentence[]>();

/** Cached per entry. */
export function entrySentences(entry: Entry): readonly Sentence[] {
  const made = ofEntries.get(entry) ?? sentencesOf(entry.text);
  ofEntries.set(entry, made);
  return made;
}

/** The sentences of the last answer of a turn. Cached per turn. */
export function answerSentences(reading: Reading): readonly Sentence[] {
  const made = ofAnswers.get(reading) ?? sentencesOf(reading.answer);
  ofAnswers.set(reading, made);
  return made;
}
