// Everything a person said, and what a transcript records about its session.
import { describe, expect, it } from 'vitest';
import { answer, type Json, prompt, toolResult, toolUse, workbench } from './transcript-builder.ts';

const key = 'p/s1.jsonl';
const take = async (lines: readonly Json[]) => {
  const bench = await workbench();
  bench.write(key, lines);
  await bench.ingest();
  const entries = await bench.store.entries.transcript('claude-code', 's1');
  return { bench, said: entries.filter(({ author }) => author === 'person').map(({ text, form }) => [form, text]) };
};
const rejected =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). ";

describe("a person's words", () => {
  it('14. what the person answered to the questions of the agent is stored, with the questions', async () => {
    const { said, bench } = await take([
      prompt('p', 'support tar files'),
      answer('a', [toolUse('q1', 'AskUserQuestion', { questions: [] })], 1),
      {
        ...toolResult('r', 'q1', 'User has answered your questions: "Which formats?"="Also .tgz".', 2),
        toolUseResult: {
          questions: [
            {
              question: 'Which formats?',
              options: [
                { label: 'Only .tar', description: 'Leave the rest.' },
                { label: 'Also .tgz', description: 'Tar archives with and without gzip.' },
              ],
            },
          ],
          answers: { 'Which formats?': 'Also .tgz', 'Recursive?': ['Yes', 'Only zip'], 'Skipped?': '' },
          annotations: { 'Which formats?': { notes: 'and .tbz' }, 'Recursive?': { notes: 'Yes, Only zip' } },
        },
      },
      answer('b', 'ok', 3),
    ]);
    expect(said).toEqual([
      [undefined, 'support tar files'],
      [
        'choice',
        'Which formats?\n→ Also .tgz (Tar archives with and without gzip)\nand .tbz\n\nRecursive?\n→ Yes, Only zip',
      ],
    ]);
    // The tool itself is on the skip list.
    expect((await bench.store.entries.counts()).toolUses).toBe(0);
    expect((await bench.store.entries.find('r'))[0]).toMatchObject({ author: 'person', role: 'user', form: 'choice' });
  });

  it('14. a long description of the chosen option is stored with its first sentence', async () => {
    const rest =
      'It needs a second pass over the archive, which is slow for large ones, and a table of all names. '.repeat(2);
    const asked = (label: string, description: string) => ({
      ...toolResult(
        'r',
        'q1',
        `Your questions have been answered: "Links?"="${label}" selected preview:\n+ keep(link)`,
        2,
      ),
      toolUseResult: {
        questions: [{ question: 'Links?', options: [{ label, description, preview: '+ keep(link)' }] }],
        answers: { 'Links?': label },
        annotations: { 'Links?': { preview: '+ keep(link)' } },
      },
    });
    const lines = (label: string, description: string) => [
      prompt('p', 'support tar files'),
      answer('a', [toolUse('q1', 'AskUserQuestion', { questions: [] })], 1),
      asked(label, description),
    ];
    const told = async (label: string, description: string) => (await take(lines(label, description))).said[1]?.[1];
    expect(await told('Keep', `Links stay links in keepLinks(). ${rest}`)).toBe(
      'Links?\n→ Keep (Links stay links in keepLinks())',
    );
    expect(await told('Keep', `Links stay links, ${rest.replaceAll('.', ',')}`)).toBe('Links?\n→ Keep');
  });

  it('14. an approved plan, a rejected one and a rejected tool are stored with what the person said to them', async () => {
    const { said } = await take([
      prompt('p', 'plan it'),
      answer('a1', [toolUse('x1', 'ExitPlanMode', { plan: '# Add tar' })], 1),
      toolResult('r1', 'x1', `${rejected}STOP what you are doing and wait.`, 2, { is_error: true }),
      answer('a2', [toolUse('x2', 'ExitPlanMode', { plan: '# Add tar' })], 3),
      toolResult('r2', 'x2', `${rejected}The user provided the following reason for the rejection:  keep the name`, 4, {
        is_error: true,
      }),
      answer('a3', [toolUse('x3', 'ExitPlanMode', { plan: '# Add tar' })], 5),
      {
        ...toolResult('r3', 'x3', 'User has approved your plan. You can now start coding.', 6),
        toolUseResult: { plan: '# Add tar\n\nfirst, second' },
      },
      answer('a4', [toolUse('b1', 'Bash', { command: 'git commit' })], 7),
      toolResult(
        'r4',
        'b1',
        `${rejected}To tell you how to proceed, the user said:\nretry committing\n\nNote: The user's next message may contain a correction or preference. Pay close attention.`,
        8,
        { is_error: true },
      ),
      answer('a5', [toolUse('b2', 'Bash', { command: 'ls' })], 9),
      toolResult('r5', 'b2', `${rejected}STOP what you are doing and wait.`, 10, { is_error: true }),
    ]);
    expect(said).toEqual([
      [undefined, 'plan it'],
      ['verdict', '[Rejected the plan]'],
      ['verdict', '[Rejected the plan]\nkeep the name'],
      ['verdict', '[Approved the plan: Add tar]'],
      ['verdict', '[Rejected the use of a tool]\nretry committing'],
    ]);
  });

  it('14. commands with their arguments, shell lines and pictures are stored as typed', async () => {
    const { said } = await take([
      prompt(
        'c',
        '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>the last commit</command-args>',
      ),
      prompt('s', '<bash-input>git log -3</bash-input>', 1),
      prompt('o', '<bash-stdout>abc</bash-stdout><bash-stderr></bash-stderr>', 2),
      prompt('i', '', 3, {
        message: { role: 'user', content: [{ type: 'image', source: { media_type: 'image/png' } }] },
      }),
      {
        type: 'system',
        subtype: 'local_command',
        uuid: 'l',
        sessionId: 's1',
        timestamp: '2026-03-02T09:04:00.000Z',
        content: '<command-name>/remote-control</command-name>\n            <command-args></command-args>',
      },
      {
        type: 'system',
        subtype: 'local_command',
        uuid: 'l2',
        sessionId: 's1',
        content: '<local-command-stdout>connecting</local-command-stdout>',
      },
      prompt('n', '/home/dev/notes.md is the file', 5),
    ]);
    expect(said).toEqual([
      ['command', '/review the last commit'],
      ['shell', '! git log -3'],
      [undefined, '[Image: image/png]'],
      ['command', '/remote-control'],
      [undefined, '/home/dev/notes.md is the file'],
    ]);
  });

  it.each(['system-reminder', 'claude-mem-context', 'ide_selection', 'hook_context'])(
    '20. text injected in <%s> is left out of a prompt, and a prompt of nothing else is the machine’s',
    async (tag) => {
      const { said } = await take([
        prompt('a', `<${tag}>\n# Memory\nold things\n</${tag}>\nfix the tide table`),
        prompt('b', `<${tag}>only this</${tag}>`, 1),
      ]);
      expect(said).toEqual([[undefined, 'fix the tide table']]);
    },
  );

  it('14. a choice in a private turn is just as private, and does not end it', async () => {
    const { said } = await take([
      prompt('p', '<private>about my health</private>'),
      answer('a', [toolUse('q1', 'AskUserQuestion', {})], 1),
      {
        ...toolResult('r', 'q1', 'answered', 2),
        toolUseResult: { questions: [], answers: { 'Which doctor?': 'Dr. Reed' } },
      },
      answer('b', 'noted about Dr. Reed', 3),
      prompt('q', 'now the tide table', 4),
    ]);
    expect(said).toEqual([[undefined, 'now the tide table']]);
  });
});

describe('what a transcript says about its session', () => {
  it('14. branch, pull requests, repository and origin are kept as fields of the session', async () => {
    const { bench } = await take([
      prompt('a', 'one', 0, { gitBranch: 'main' }),
      answer('b', 'two', 1, { gitBranch: 'tides' }),
      answer('c', 'three', 2, { gitBranch: 'HEAD' }),
      {
        type: 'pr-link',
        sessionId: 's1',
        prNumber: 4,
        prUrl: 'https://example.com/tide/pull/4',
        prRepository: 'dev/tide',
      },
    ]);
    const origin = (await bench.store.sessions.list({}))[0];
    expect(origin).toMatchObject({
      branch: 'tides',
      branches: ['tides', 'main'],
      repository: 'dev/tide',
      links: ['https://example.com/tide/pull/4'],
    });
    expect(origin).not.toHaveProperty('forkOf');
    bench.write('p/s2.jsonl', [
      prompt('a', 'one', 0, { sessionId: 's2', gitBranch: 'main' }),
      prompt('z', 'own', 9, { sessionId: 's2', gitBranch: 'main' }),
    ]);
    bench.write('p/s3.jsonl', [prompt('y', 'told', 9, { sessionId: 's3', forkedFrom: { sessionId: 's1' } })]);
    await bench.ingest();
    const fork = async (id: string) => (await bench.store.sessions.find(id))[0]?.forkOf;
    expect([await fork('s1'), await fork('s2'), await fork('s3')]).toEqual([undefined, 's1', 's1']);
    expect((await bench.store.sessions.find('s2'))[0]).not.toHaveProperty('branches');
  });

  it("14. a person's title comes before the agent's, and the agent's before a summary in another file", async () => {
    const { bench } = await take([
      prompt('a', 'one'),
      answer('leaf', 'two', 1),
      { type: 'ai-title', aiTitle: 'By the agent' },
    ]);
    const title = async (id = 's1') => {
      const [session] = await bench.store.sessions.find(id);
      return [session?.title, session?.titleSource];
    };
    expect(await title()).toEqual(['By the agent', 'agent']);
    bench.append(key, { type: 'custom-title', customTitle: 'Mine' }, { type: 'ai-title', aiTitle: 'Again' });
    await bench.ingest();
    expect(await title()).toEqual(['Mine', 'person']);
    // A summary names its session by its last line, and may come before that line.
    bench.write('p/s2.jsonl', [
      { type: 'summary', summary: 'About tides', leafUuid: 'leaf2' },
      { type: 'summary', summary: 'Not this', leafUuid: 'leaf' },
      prompt('b', 'three', 2, { sessionId: 's2' }),
    ]);
    await bench.ingest();
    bench.write('p/s3.jsonl', [
      prompt('c', 'four', 3, { sessionId: 's3' }),
      answer('leaf2', 'five', 4, { sessionId: 's3' }),
    ]);
    await bench.ingest();
    expect(await title()).toEqual(['Mine', 'person']);
    expect(await title('s2')).toEqual(['three', undefined]);
    expect(await title('s3')).toEqual(['About tides', 'agent']);
  });

  it('14. the summary that a compaction makes is the machine’s, and says what it is', async () => {
    const { bench } = await take([
      prompt('a', 'one'),
      prompt('k', 'This session is being continued from a previous conversation: tides', 1, { isCompactSummary: true }),
    ]);
    expect((await bench.store.entries.find('k'))[0]).toMatchObject({ author: 'machine', form: 'compaction' });
  });

  it('14. notes before the first entry, and the branch of a private turn, follow what is kept', async () => {
    const lines = [
      {
        type: 'pr-link',
        sessionId: 's1',
        prUrl: 'https://example.com/tide/pull/1',
        timestamp: '2026-03-02T09:00:00.000Z',
      },
      prompt('p', '<private>secret</private>', 1, { gitBranch: 'secret-branch' }),
      prompt('a', 'open', 2, { gitBranch: 'main' }),
    ];
    const bench = await workbench();
    for (const line of lines) {
      bench.append(key, line);
      await bench.take(key);
    }
    expect((await bench.store.sessions.list({}))[0]).toMatchObject({
      branch: 'main',
      links: ['https://example.com/tide/pull/1'],
    });
    expect(JSON.stringify(bench.rows())).not.toContain('secret-branch');
  });
});
