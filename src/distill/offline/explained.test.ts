import { describe, expect, it } from 'vitest';
import { edit, run, type Step, say, session, turn } from '../../../test/turns.ts';
import { extractConversation } from './extract.ts';

const insights = (request: string, steps: readonly Step[], next = 'thanks', then = 'You are welcome.'): string[] =>
  extractConversation({
    ...session([turn(request, steps), turn(next, [run('ls'), say(then)], { prompt: 2 })]),
    id: 1,
  }).insights.map(({ text }) => text);
const answered = (question: string, answer: string, next?: string, then?: string): string[] =>
  insights(question, [run('ls'), say(answer)], next, then);

const question = 'does tide-cli read any address, or just the one of the lock?';

describe('the answer to a question about how things are', () => {
  it.each([
    '`tide-cli` reads addresses from `lock.json` and from the command line.',
    'The `lock` capability lets a client read the address once.',
    '`tide-cli` is the reader of every address in the lock.',
  ])('is kept if it says what something named is or does, without any limit: %s', (text) =>
    expect(answered(question, `${text} I hope that helps.`)).toEqual([text]),
  );

  it('is kept without the words that open it', () => {
    const text = '`tide-cli` reads addresses from `lock.json` alone.';
    for (const opening of ['Yes —', 'No.', 'Short answer:', "You're right:", 'Yes. Short answer:', 'Note that'])
      expect(answered(question, `${opening} ${text}`)).toEqual([text]);
  });

  it('is kept from a list without full stops, and from one with curly apostrophes', () => {
    expect(answered(question, 'Two cases:\n\n- `tide-cli` reads all addresses from `lock.json`\n- other')).toEqual([
      '`tide-cli` reads all addresses from `lock.json`.',
    ]);
    expect(answered(question, '`tide-cli` doesn’t read any address of `lock.json`.')).toEqual([
      "`tide-cli` doesn't read any address of `lock.json`.",
    ]);
  });

  it.each([
    [
      'the sentence says nothing about the question',
      'Well. So. And. `Harbour.ts` lists piers by `length` in the quay.',
    ],
    ['it points back', 'It reads addresses from `lock.json`.'],
    ['it tells of the moment', '`tide-cli` now reads addresses from `lock.json`, I just fixed that.'],
    ['it tells what the agent is doing', 'Reading `lock.json` shows how `tide-cli` never reads other addresses.'],
    ['its point follows', '`tide-cli` reads only the addresses of `lock.json`, and never others, so'],
    ['it shows the moment', 'The `tide-cli` status shows no address of `lock.json` that is not locked.'],
    ['the item is no sentence', '- addresses, `lock.json`, etc. (and `tide-cli`)'],
  ])('is left out if %s', (_, answer) => expect(answered(question, answer)).toEqual([]));

  it('is left out if the person asked for work, and the sentence states no limit', () =>
    expect(
      insights('read the address of the lock in tide-cli', [
        edit('/home/dev/tide/a.go'),
        say('`tide-cli` reads addresses from `lock.json` and from the command line.'),
      ]),
    ).toEqual([]));

  it('gives three sentences of one answer at most', () => {
    const all = [1, 2, 3, 4, 5].map((i) => `\`tide-cli\` reads address ${i} from \`lock${i}.json\`.`);
    expect(answered(question, all.join(' '))).toHaveLength(3);
  });
});

it('what anyone knows of a language is left out, if nothing in the session met it', () => {
  const text = 'The `observed_rows` of `groupBy` decide whether the reader never counts empty addresses.';
  const asked = (...steps: Step[]) => insights('what do rows decide for the reader?', [...steps, say(text)]);
  expect(asked()).toEqual([]);
  expect(asked(run('grep observed_rows a.py'))).toEqual([text]);
});

it('a clause is kept without the rest of its sentence, if it says by itself what something is or does', () => {
  const clause = '`tide-cli` reads all addresses of the harbour from `lock.json`.';
  const told = (text: string) => answered(question, text);
  expect(told(`You would see the same — and that is fine — ${clause}`)).toEqual([clause]);
  expect(told(`I would expect so, because ${clause}`)).toEqual([clause]);
  expect(told('I would expect so, because for example `tide-cli` reads addresses from `lock.json`.')).toEqual([]);
});

it('a search for whether something holds is a question too', () => {
  const text = '`tide-cli` reads all addresses of the harbour from `lock.json`.';
  expect(answered('search if the tide-cli reads any address', text)).toEqual([text]);
});

it('how a well-known service behaves is kept without any name of the code, but no single case', () => {
  const told = (text: string) => answered('mend the slow harbour', `I looked at \`tide-cli\`. ${text}`);
  const service = 'GitHub enforces a wall-clock deadline on each receive-pack request.';
  expect(told(service)).toEqual([service]);
  expect(told('GitHub has re-used most parts of each receive-pack request.')).toEqual([]);
  expect(told('The GitHub issue stays linked to each receive-pack request.')).toEqual([]);
  expect(told('The harbour enforces a deadline on each request of the pier.')).toEqual([]);
});

describe('a question that follows an answer', () => {
  const text = '`tide-cli` reads addresses from `lock.json` alone.';

  it('does not refute it, if the agent stands by it', () =>
    expect(answered(question, text, 'but why not from the quay?', 'The quay is made of stone.')).toEqual([text]));

  it.each(['You’re right to push back.', 'Good catch. It does.', 'Correction: it reads two.'])(
    'refutes it, if the agent takes it back: %s',
    (then) => expect(answered(question, text, 'but why not from the quay?', then)).toEqual([]),
  );
});

describe('what an agent remarks during the work', () => {
  const outside = 'GitHub only lets `harbour.yml` publish a package, and not `tide.yml`.';
  const own = '`tide-cli` only reads addresses from `lock.json`, and never from `quay.json`.';
  const remarked = (remark: string, ...more: Step[]): string[] =>
    insights('publish the package', [say(`Now I see. ${remark}`), run('ls'), ...more, say('Published.')]);

  it('is kept if it is about something outside of the project', () => {
    expect(remarked(outside)).toEqual([outside]);
    expect(remarked(outside, edit('/home/dev/tide/a.go'))).toEqual([outside]);
  });

  it('is kept of the project itself only if the turn changed nothing', () => {
    expect(remarked(own)).toEqual([own]);
    expect(remarked(own, edit('/home/dev/tide/a.go'))).toEqual([]);
  });

  it('is left out if it tells of the state of the moment', () =>
    expect(remarked('`tide-cli` is stale and does not know `lock.json`.')).toEqual([]));
});

it('a cause that opens with `the issue is that` is kept only if it lies outside of what the session changed', () => {
  const told = (cause: string) =>
    insights('mend the harbour', [edit('/home/dev/tide/a.go'), say(`The issue is that ${cause}`)]);
  expect(told('`tideClient` only reads `lock.json` of the quay, and never others.')).toEqual([]);
  expect(told('GitHub only accepts `lock.json` of at most 5 MB per `push`.')).toEqual([
    'GitHub only accepts `lock.json` of at most 5 MB per `push`.',
  ]);
});
