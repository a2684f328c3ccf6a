import { expect, it } from 'vitest';
import { edit, say, session, turn } from '../../../test/turns.ts';
import { extractConversation } from './extract.ts';

const kept = (request: string, answer: string, next = 'thanks'): string[] =>
  extractConversation({
    ...session([
      turn(request, [edit('/home/dev/tide/a.go'), say(answer)]),
      turn(
        next,
        [
          say(
            'The quay is long enough for every ship of the harbour, and its stones are old. Nothing else is known of it, and no ship asks.',
          ),
        ],
        {
          prompt: 2,
        },
      ),
    ]),
    id: 1,
  })
    .projects.flatMap(({ statements }) => statements)
    .filter(({ key }) => key.startsWith('wish: '))
    .map(({ text }) => text);

const wish = 'the harbour page should not offer the choice of a pier in cloud mode';

it('a wish is kept in the words that end its turn, with the words of the person', () =>
  expect(kept(wish, 'Done.\n\n- The harbour page now hides the choice of a pier in cloud mode')).toEqual([
    `The harbour page now hides the choice of a pier in cloud mode. (The person asked: “${wish}”)`,
  ]));

it('a name that both use counts for more than a word', () => {
  const wish = 'we should call ours max_berths as well';
  expect(kept(wish, 'Done. The harbour file names its limit `max_berths`.')).toEqual([
    `The harbour file names its limit \`max_berths\`. (The person asked: “${wish}”)`,
  ]);
  expect(kept(wish.replace('_', ' '), 'Done. The harbour file limits the berths of its piers.')).toEqual([]);
});

it.each([
  ["You're right: the harbour page now hides the choice of a pier in cloud mode.", 'The harbour page now hides'],
  [
    'I changed it to match: the harbour page now hides the choice of a pier in cloud mode.',
    'The harbour page now hides',
  ],
  ['`pier.ts:50` now hides the choice of a pier in cloud mode (line 64-69).', '`pier.ts` now hides'],
])('without what the agent says of itself, and places in files: %s', (answer, begins) => {
  const [text = ''] = kept(wish, answer);
  expect(text.startsWith(begins)).toBe(true);
  expect(text).not.toMatch(/line 64|:50/);
});

it.each([
  ['the answer says little of the wish', wish, 'The harbour page has a new door on its side.'],
  ['the answer points back', wish, 'It now hides the choice of a pier on the harbour page in cloud mode.'],
  ['the answer says what should be', wish, 'The harbour page should now hide the choice of a pier in cloud mode.'],
  ['the answer gives an order', wish, 'Hide the choice of a pier on the harbour page in cloud mode by default.'],
  ['the answer tells what is wrong', wish, 'The harbour page now fails with the choice of a pier in cloud mode.'],
  [
    'the person reports a fault',
    'the harbour page offers only the choice of a pier',
    'The harbour page now offers piers.',
  ],
  ['the answer tells of the work', wish, 'All tests of the choice of a pier in cloud mode on the harbour page pass.'],
  [
    'the wish is about looks',
    'the badge of the pier should be a green icon',
    'The badge of the pier is a green icon now.',
  ],
  [
    'the wish is about delivery',
    'we should commit the choice of a pier',
    'The choice of a pier is in the last commit.',
  ],
  ['the person only asks', 'why should the page offer the choice of a pier?', 'The page offers the choice of a pier.'],
])('nothing is kept if %s', (_, request, answer) => expect(kept(request, answer)).toEqual([]));

it('nothing is kept if the turn changed nothing', () => {
  const answer = say('The harbour page now hides the choice of a pier in cloud mode.');
  const { projects } = extractConversation({ ...session([turn(wish, [answer])]), id: 1 });
  expect(projects).toEqual([]);
});

it('a rule of the person stands alone, without the words of the agent', () => {
  const rule = 'in cloud mode the harbour page should not offer the choice of a pier';
  expect(kept(rule, 'The harbour page now hides the choice of a pier in cloud mode.')).toEqual([]);
});

it('nothing is kept if the person was not content, or took it back', () => {
  const answer = 'The harbour page now hides the choice of a pier in cloud mode.';
  expect(kept(wish, answer)).toHaveLength(1);
  expect(kept(wish, answer, 'no, that is wrong')).toEqual([]);
  expect(kept(wish, answer, 'revert this')).toEqual([]);
});
