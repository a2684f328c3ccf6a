import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { groupStand } from '../../test/group-stand.ts';
import { fakeAgents, until } from '../../test/host-stand.ts';
import { groupsRemove } from '../operations/groups/groups.ts';
import { openHostOf } from './open.ts';

/** A host of two groups with a message each, and agents that do what the test says. */
async function hosting() {
  const stand = await groupStand();
  onTestFinished(() => stand.end());
  const [tide, reef] = [await stand.group('tide'), await stand.group('reef')];
  const said = { reef: await stand.run(reef, 'the reef is closed'), tide: await stand.run(tide, 'the tide is high') };
  const { start, last } = fakeAgents();
  const opened = await openHostOf(stand.holdfast.context, { log: () => {}, warn: () => {}, start });
  if (!('host' in opened)) throw new Error('There is another host');
  onTestFinished(() => opened.stop(0));
  const { store } = stand.holdfast;
  for (const group of ['tide', 'reef']) await store.messages.add(group, { text: 'hello' }, Date.now());
  opened.host.wake();
  await until(() => [last('tide'), last('reef')].every((agent) => agent?.sent.length === 1));
  return { stand, tide, reef, said, last };
}

describe('a host', () => {
  it('host.md 15: archives before a compaction only what is the group’s own, whatever session its process names', async () => {
    const { tide, reef, last, said } = await hosting();
    const [theirs, own] = [said.reef.session, said.tide.session];
    // Its own agent has had it imported.
    await last('reef')?.run.events.compacting?.(theirs);
    await last('tide')?.run.events.compacting?.(theirs);
    await last('tide')?.run.events.compacting?.(own);
    const archives = fs.readdirSync(tide.folders.conversations);
    expect(archives.map((name) => fs.readFileSync(path.join(tide.folders.conversations, name), 'utf8'))).toEqual([
      expect.stringContaining('the tide is high'),
    ]);
    expect(fs.readdirSync(reef.folders.conversations)).toHaveLength(1);
  });

  it('ends the process of a group that is removed elsewhere, and no other', async () => {
    const { stand, last } = await hosting();
    last('tide')?.answer('good day', 's');
    await groupsRemove.run(stand.holdfast.context, { group: 'tide', dryRun: false, yes: true });
    await until(() => last('tide')?.isOver === true);
    expect(last('reef')?.isClosing).toBe(false);
  });
});
