import { expect, it } from 'vitest';
import { edit, say, session, turn } from '../../../test/turns.ts';
import { extractConversation } from './extract.ts';

const rules = (section: string, title = 'Guard large harbours'): string[] => {
  const plan = `Implement the following plan:\n\n# ${title}\n\n${section}\n\n## Steps\n\n- Change \`a.go\``;
  return extractConversation({
    ...session([turn(plan, [edit('/home/dev/tide/a.go'), say('Done.')])]),
    id: 1,
  })
    .projects.flatMap(({ statements }) => statements)
    .map(({ text }) => text);
};
const guard = 'Harbours with more than 1,000 piers must be refused, only in cloud mode.';

it('a plan that was carried out gives its rules, with its title', () => {
  expect(rules(`## Context\n\nShips are slow. ${guard}`)).toEqual([`Guard large harbours: ${guard}`]);
  expect(rules(`## Change\n\n${guard}`)).toEqual([`Guard large harbours: ${guard}`]);
});

it('a rule that points back comes with the sentence before it', () =>
  expect(rules('## Change\n\nAdd `--trust` to each call. This is safe because the piers are our own.')).toEqual([
    'Guard large harbours: Add `--trust` to each call. This is safe because the piers are our own.',
  ]));

it.each([
  ['a step', `## Step 2: guard\n\n${guard}`],
  ['a check', `## Verification\n\n${guard}`],
  ['how it is so far', '## Context\n\nHarbours with more than 1,000 piers are currently only refused in cloud mode.'],
  ['what was wrong', '## Context\n\nThe page was only shown to ships that must wait for the pier.'],
  ['what only earlier text names', '## Context\n\nThe page of the harbour must reflect this distinction.'],
])('%s is no rule', (_, section) => expect(rules(section)).toEqual([]));

it('a plan for documents or looks gives no rules', () =>
  expect(rules(`## Context\n\n${guard}`, 'Expand the README of the harbour')).toEqual([]));

it('a list below a bold line with decisions counts as decisions', () =>
  expect(
    rules('## Context\n\nShips.\n\n**User decisions:**\n- Ships stay grouped by pier when the tide falls'),
  ).toEqual(['Guard large harbours: Ships stay grouped by pier when the tide falls.']));

it('a title that is cut ends in a whole word that leads nowhere', () =>
  expect(
    rules(`## Context\n\n${guard}`, 'Merge the list of the piers and the list of the ships into one table'),
  ).toEqual([`Merge the list of the piers and the list of the ships: ${guard}`]));

it('a sentence that begins within a quotation is no rule', () =>
  expect(
    rules(
      '## Context\n\nThe guide says "Keep it short. Give each pier a line of its own." This belongs in the book of the port, not in the tide.',
    ),
  ).toEqual([]));

it('a heading that says how something should be is a rule, without its number', () => {
  expect(rules('## Fix 1: The harbour should prefer `lockFile` over the address (tide)\n\nChange it.')).toEqual([
    'Guard large harbours: The harbour should prefer `lockFile` over the address.',
  ]);
  expect(rules('## Fix 1: Prefer `lockFile` over the address of the harbour\n\nChange it.')).toEqual([]);
  expect(rules('## CRITICAL FILE RULE: `lockFile` MUST BE READ only by the harbour\n\nChange it.')).toEqual([]);
});

it('a decision of a few plain words says too little', () =>
  expect(rules('## Context\n\nShips.\n\n**User decisions:**\n- All piers open by default')).toEqual([]));
