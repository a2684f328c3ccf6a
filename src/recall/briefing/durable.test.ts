import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emptyMemory, type Memory, now, tell } from '../../../test/demo-memory.ts';
import { distillAll, endJob } from '../../../test/distilled.ts';
import { applyExtraction, extraction, folderOf } from '../../../test/memory-stand.ts';
import { identifyProjects } from '../../capture/identify-projects.ts';
import { readConversation } from '../../distill/material.ts';
import { bringInLine } from '../../distill/memory/librarian.ts';
import { extractConversation } from '../../distill/offline/extract.ts';
import { briefing } from './briefing.ts';
import { instructionsOf } from './instructions.ts';

const edits = [{ name: 'Edit', input: { file_path: '/srv/tide/src/table.ts' } }];

async function remembered(folder = '/srv/tide'): Promise<Memory> {
  const memory = await emptyMemory();
  await tell(memory, 'aaaa1111', folder, '2026-10-30T10:00:00Z', [
    {
      by: 'user',
      text: "Let's use sqlite instead of a text file for the tides. I prefer tabs over spaces in this code.",
    },
    { by: 'assistant', text: 'Replaced the text file by sqlite.', uses: edits },
    { by: 'user', text: 'We use pnpm here. Fix the summer hours of the tide table.' },
    { by: 'assistant', text: 'Fixed the summer hours of the tide table.', uses: edits },
  ]);
  await distillAll(memory.store);
  for (const conversation of await memory.store.conversations.list({})) {
    const material = await readConversation(memory.store, conversation.id);
    if (material !== undefined)
      await applyExtraction(memory.context, conversation, extractConversation(material), 'offline');
  }
  return memory;
}

const brief = ({ context }: Memory, folder = '/srv/tide') =>
  briefing({ ...context, clock: () => now }, { project: { path: folder }, session: 'new', source: 'startup' });

describe('a briefing of a distilled memory', () => {
  it('says first what was decided, what holds for the project, and what holds everywhere', async () => {
    const { text, items } = await brief(await remembered());
    const kinds = items.map(({ kind }) => kind);
    expect(kinds).toContain('decision');
    expect(kinds.lastIndexOf('decision')).toBeLessThan(kinds.indexOf('session'));
    expect(text).toContain('## Decided or preferred by the person\n- ');
    expect(text).toContain("Let's use sqlite instead of a text file for the tides");
    expect(text).toMatch(/person\n[\s\S]*pnpm[\s\S]*I prefer tabs over spaces in this code\./);
    // Under decisions, and in the account of the session itself, but not again as a fact.
    expect(text.match(/sqlite instead of a text file/g)).toHaveLength(2);
  });

  it('tells a clone in another folder the same, and a stranger of the same name nothing', async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-clones-'));
    onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
    const clone = (name: string, remote: string) => {
      fs.mkdirSync(path.join(root, name, '.git'), { recursive: true });
      fs.writeFileSync(path.join(root, name, '.git/config'), `[remote "origin"]\n\turl = ${remote}\n`);
      return path.join(root, name);
    };
    const first = clone('tide', 'git@github.com:acme/tide.git');
    const second = clone('review-of-tide', 'https://github.com/acme/tide');
    const stranger = clone('other/tide', 'https://github.com/else/tide');
    const memory = await remembered(first);
    for (const [i, folder] of [second, stranger].entries())
      await tell(memory, `bbbb${i}111`, folder, '2026-10-31T10:00:00Z', [{ by: 'user', text: 'Look at the lamp.' }]);
    await identifyProjects({ store: memory.store, config: memory.context.config });
    await bringInLine(memory.context);
    const told = async (folder: string) => (await brief(memory, folder)).text;
    expect(await told(first)).toContain('sqlite instead of a text file');
    expect(await told(second)).toContain('sqlite instead of a text file');
    expect(await told(stranger)).not.toContain('sqlite instead of a text file');
    expect(fs.readdirSync(path.join(folderOf(memory), 'projects'))).toHaveLength(1);
  });

  it('shortens a long question, and never the answer; a commit that says no more than the title is not repeated', async () => {
    const memory = await remembered();
    const question = `${'Errors and suggestions run in parallel batches within one transaction at present. '.repeat(4)}Where should the plans be kept?`;
    const [conversation] = await memory.store.conversations.list({});
    if (conversation === undefined) throw new Error('there is no conversation');
    await applyExtraction(
      memory.context,
      conversation,
      extraction({
        projects: [
          {
            name: 'tide',
            statements: [
              {
                key: 'choice: plans',
                text: `Asked “${question}”, the person chose: In the result (a field of it, which everyone can read).`,
                saidBy: 'person',
              },
              {
                key: 'change: plans',
                text: 'Decided in a commit: keep plans in one file. Only `plan.ts` knows the moon.',
                saidBy: 'agent',
              },
              {
                key: 'change: plan files',
                text: 'Planned and carried out: Keep plans in one file. Only `plan.ts` has to know the moon.',
                saidBy: 'agent',
              },
              {
                key: 'choice: ebb',
                text: `Asked “Moor by size: ${'Ships of one size lie at one pier at present, which takes room. '.repeat(4)}Should we add a fallback?”, the person chose: No, refuse the ship.`,
                saidBy: 'person',
              },
              {
                key: 'PierProvider error',
                text: `Using \`PierTree\` from \`@pier/react\` caused \`ContextError: no pier. ${'Seems you forgot the provider. '.repeat(7)}\`. Fixed by importing it from \`@ark/react\`.`,
                saidBy: 'agent',
              },
              {
                key: 'change: lamps',
                text: 'Decided in a commit: lamps stay dark at noon. The sun is brighter, so they only waste oil.',
                saidBy: 'agent',
              },
              { key: 'rule: moon', text: 'Never read the moon from the network.', saidBy: 'agent' },
            ],
          },
        ],
      }),
      'offline',
    );
    const [summary] = await memory.store.distilled.summaries({});
    if (summary === undefined) throw new Error('there is no summary');
    const { id: _, project: __, ...account } = summary;
    const told = async (title: string, commit: string) => {
      await endJob(memory.store, summary, { kind: 'summarize', summary: { ...account, title, commits: [commit] } });
      return (await brief(memory)).text;
    };
    const same = await told('Fix the summer hours', 'Fix summer hours');
    expect(same).toContain('Asked “Where should the plans be kept?”, the person chose: In the result.');
    expect(same).toContain('Asked “Moor by size: Should we add a fallback?”, the person chose: No, refuse the ship.');
    expect(same).toContain('caused… Fixed by importing it from `@ark/react`.');
    expect(same).toMatch(/\n- .*[Kk]eep plans in one file\. Only `plan\.ts` (?:knows|has to know) the moon\.\n/);
    expect(same.match(/one file/g)).toHaveLength(1);
    // The heading says where it comes from, so the line does not.
    expect(same).toMatch(/\n## Decided in commits\n- Lamps stay dark at noon\./);
    expect(same).not.toContain('Decided in a commit');
    expect(same).not.toContain('Never read the moon');
    expect(same).not.toContain('Committed');
    expect(await told('Fix the summer hours', 'Read the moon from a table')).toContain('“Read the moon');
    expect(await told('Fix the summer hours', 'Keep plans in one file')).not.toContain('Committed:');
  });

  it('tells once what several answers about one plan settle, and no insight without its end', async () => {
    const memory = await remembered();
    const [conversation] = await memory.store.conversations.list({});
    if (conversation === undefined) throw new Error('there is no conversation');
    const asked = (key: string, question: string, answer: string) => ({
      ...{ key: `choice: ${key}`, text: `Asked “${question}”, the person chose: ${answer}`, saidBy: 'person' as const },
      choice: { question, answer },
    });
    const insight = (text: string) => ({
      at: conversation.firstAt,
      title: text.slice(0, 60),
      text,
      saidBy: 'agent' as const,
    });
    await applyExtraction(
      memory.context,
      conversation,
      extraction({
        projects: [
          {
            name: 'tide',
            statements: [
              asked(
                'a',
                'Moor by size: Ships are moored in groups of ten today. Should we keep groups or moor all ships at once?',
                'All at once: Moor all ships in one go.',
              ),
              asked(
                'b',
                'Moor by size: Without groups, a pier may overflow with ships at once. Should all ships be moored in one go?',
                'No fallback: Moor all ships regardless.',
              ),
              asked('c', 'Moor by size: Which lamp shows a full pier?', 'A red lamp on the mole.'),
              asked(
                'd',
                'Review: Lamps of piers near big ships: Which oil burns longest through cold winter nights with strong wind?',
                'Whale oil, as before.',
              ),
              asked(
                'e',
                'Review: Lamps of piers near big ships: Who paints poles, gates, rings and benches each spring before sailors return?',
                'The pilots, with green paint.',
              ),
              {
                ...{ key: 'commit: lights', saidBy: 'agent' as const },
                text: 'moor --dry leaves `lights.json` alone. (From the commit “Cover the lights of the harbour”.)',
              },
              {
                ...{ key: 'commit: gates', saidBy: 'agent' as const },
                text: `\`openGates\` waits for \`TidePlan\` ${'and the bell of the harbour '.repeat(8)}(as it does ${'at noon and '.repeat(12)}at night).`,
              },
            ],
          },
        ],
        insights: [
          insight(
            `\`PierTree\` only reads \`lamps.json\` when ${'the tide of the harbour is high and the wind is low, '.repeat(9)}so it waits.`,
          ),
          insight('`PierTree` only reads `lamps.json` at noon.'),
        ],
      }),
      'offline',
    );
    const { text } = await brief(memory);
    expect(text.match(/Moor by size/g)).toHaveLength(2);
    expect(text).toContain('A red lamp on the mole');
    expect(text).toContain('`PierTree` only reads `lamps.json` at noon.');
    expect(text).not.toContain('the wind is low');
    expect(text, 'a title with a colon is no subject').toMatch(
      /Whale oil[\s\S]*with green paint|with green paint[\s\S]*Whale oil/,
    );
    expect(text).toContain('- moor --dry leaves `lights.json` alone.\n');
    expect(text).toMatch(/\n- `openGates` waits for `TidePlan` .*and the bell of the harbour\.\n/);
  });

  it('repeats nothing that the instructions of the project say', async () => {
    const memory = await remembered();
    const folder = fs.mkdtempSync(path.join(memory.home, 'tide-'));
    fs.writeFileSync(
      path.join(folder, 'CLAUDE.md'),
      '# Rules\n- Run `mise run test` to test\n- We keep the tides in sqlite, never in a text file\n',
    );
    const isSaid = instructionsOf(folder);
    expect(isSaid('Tests are run with `mise run test`.')).toBe(true);
    expect(isSaid('Tests are run with `go test ./...`.')).toBe(false);
    expect(isSaid('Keep tides in sqlite, never in a text file.')).toBe(true);
    expect(isSaid('I prefer tabs over spaces in this code.')).toBe(false);
    expect(instructionsOf('/gone/away')('anything at all that is said')).toBe(false);
  });

  it('names a session by its account if the agent gave it no name', async () => {
    const memory = await remembered();
    const [session] = await memory.store.sessions.list({});
    expect(session?.title).toBe((await memory.store.distilled.summaries({}))[0]?.title);
    await endJob(
      memory.store,
      { agent: 'claude-code', session: 'aaaa1111' },
      { kind: 'summarize', summary: undefined },
    );
    expect((await memory.store.sessions.list({}))[0]?.title).toMatch(/^Let's use sqlite/);
  });

  it('says nothing about a muted session', async () => {
    const memory = await remembered();
    await memory.store.pins.set({ kind: 'session', id: 'aaaa1111', agent: 'claude-code' }, 'muted', now);
    expect((await brief(memory)).text).toBe('');
  });
});
