import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { groupStand } from '../../test/group-stand.ts';
import { fakeAgents, until } from '../../test/host-stand.ts';
import { openHostOf } from './open.ts';

describe('a host', () => {
  it('host.md 15: archives before a compaction what is the group’s own, whatever session its process names', async () => {
    const stand = await groupStand();
    onTestFinished(() => stand.end());
    const [tide, reef] = [await stand.group('tide'), await stand.group('reef')];
    const { session: theirs } = await stand.run(reef, 'the reef is closed');
    const { session: own } = await stand.run(tide, 'the tide is high');
    const { start, last } = fakeAgents();
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const opened = await openHostOf(stand.holdfast.context, { log, warn: log, start });
    if (!('host' in opened)) throw new Error('There is another host');
    onTestFinished(() => opened.stop(0));
    const { store } = stand.holdfast;
    for (const group of ['tide', 'reef']) await store.addMessage(group, { text: 'hello' }, Date.now());
    opened.host.wake();
    await until(() => last('tide') !== undefined && last('reef') !== undefined);
    // Its own agent has had it taken in.
    await last('reef')?.run.events.compacting?.(theirs);
    await last('tide')?.run.events.compacting?.(theirs);
    await last('tide')?.run.events.compacting?.(own);
    const archives = fs.readdirSync(tide.folders.conversations);
    expect(archives.map((name) => fs.readFileSync(path.join(tide.folders.conversations, name), 'utf8'))).toEqual([
      expect.stringContaining('the tide is high'),
    ]);
    expect(fs.readdirSync(reef.folders.conversations)).toHaveLength(1);
  });
});
