// Archives, made by a person and by the real client.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientCases, isMissing, machine } from './claude.ts';
import { ask, until } from './holdfast.ts';

describe.each(clientCases())('Claude Code %s%s', (version) => {
  it.skipIf(isMissing(version))(
    '15: the conversation is archived before a compaction, once, however often it compacts',
    async () => {
      const own = await machine(version);
      await ask(own.env, 'install', 'claude-code');
      await ask(own.env, 'worker', 'start');
      const first = await own.claude('Count the gulls on the roof', [{ text: 'There are seven gulls.' }]);
      // The older client does not compact anything shorter.
      for (const more of ['And on the chimney?', 'And on the pier?'])
        await own.claude(more, [{ text: 'None.' }], ['--resume', first.id]);
      const folder = path.join(own.home, 'archives');
      const files = () => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : []);
      expect(files()).toEqual([]);
      for (let round = 0; round < 2; round++) {
        const compacted = await own.run(['/compact', '--resume', first.id]);
        expect(compacted).toMatchObject({ code: 0, stderr: '' });
        expect(compacted.result).not.toContain('Not enough');
        await until(() => files().length > 0, 'the archive');
      }
      expect(files()).toHaveLength(1);
      const text = readFileSync(path.join(folder, files()[0] as string), 'utf8');
      expect(text).toMatch(
        /^# .+\n\nArchived: \w+ \d+, \d+:\d\d [AP]M\n\n---\n\n\*\*User\*\*: Count the gulls on the roof/,
      );
      expect(text).toContain('**Assistant**: There are seven gulls.');
      expect(await ask(own.env, 'archive', first.id, '--name', 'Gulls')).toMatchObject({ title: 'Gulls' });
      expect(files()).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d-gulls\.md$/)]);
    },
  );
});
