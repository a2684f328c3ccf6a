// One agent in its sandbox: what it does, what is left of it, and how it goes on.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { groupFolders } from '../../src/sessions/group-folders.ts';
import { agentLog, hostStand, lastAsked, trouble } from './host-stand.ts';

describe.skipIf(trouble)('an agent in bubblewrap', () => {
  it('writes a document, is released, and goes on with it in a new process', async () => {
    const stand = await hostStand();
    const { work } = groupFolders(stand.config, 'family');
    const first = await stand.start('family', { append: 'GLOBAL MEMORY' });
    const answer = await first.ask('Begin the document.', [
      { tool: 'Write', input: { file_path: '/workspace/group/doc.md', content: 'Chapter one\n' } },
      { text: 'Chapter one is written.' },
    ]);
    expect(answer).toMatchObject({ ok: true, text: 'Chapter one is written.', answers: ['m1'] });
    expect(readFileSync(path.join(work, 'doc.md'), 'utf8')).toBe('Chapter one\n');
    expect(first.heard.sessions).toEqual([answer.session]);
    expect(first.heard.taken).toEqual(['m1']);
    expect(first.heard.deltas.join('')).toBe('Chapter one is written.');
    expect(lastAsked(stand).text).toContain('GLOBAL MEMORY');
    expect(await first.end()).toMatchObject({ how: 'closed', code: 0, untaken: [], unanswered: [] });

    const second = await stand.start('family', { session: answer.session, resumeAt: answer.at });
    const next = await second.ask('Carry on with that document.', [
      { tool: 'Bash', input: { command: 'echo "Chapter two" >> doc.md; ls ~' } },
      { text: 'Chapter two, too.' },
    ]);
    expect(next.session).toBe(answer.session);
    expect(lastAsked(stand).text).toContain('Begin the document.');
    expect(lastAsked(stand).text).toContain('Chapter one is written.');
    expect(readFileSync(path.join(work, 'doc.md'), 'utf8')).toBe('Chapter one\nChapter two\n');
    await second.end();
    expect(agentLog(stand.config, 'family')).toBe('');
  });
});
