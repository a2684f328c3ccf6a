import { describe, expect, it } from 'vitest';
import { operations } from '../../operations/index.ts';
import { HoldfastError } from '../../system/errors.ts';
import { protectQuery } from './arguments.ts';
import { completion, shells } from './completion.ts';
import { operationsUnder } from './names.ts';
import { buildProgram } from './program.ts';
import { topics } from './topics.ts';

async function call(...argv: string[]) {
  const ran: { name: string; input: Record<string, unknown>; json: boolean; columns?: readonly string[] }[] = [];
  let out = '';
  // As the program does it: only the operations that the first word can mean.
  const program = buildProgram(
    operationsUnder(argv[0], operations),
    async (operation, input, options) => {
      ran.push({ name: operation.name, input, ...options });
    },
    { out: (text) => (out += text), err: () => {} },
  );
  const error = await program.parseAsync(protectQuery(argv, operations), { from: 'user' }).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return { ran: ran[0], out, error };
}

describe('the command line', () => {
  it.each(
    operations
      .filter(({ surfaces }) => surfaces.includes('cli'))
      .map((operation) => [operation.name, operation] as const),
  )('offers %s with its summary, options and examples', async (name, operation) => {
    expect(operation.summary).not.toBe('');
    expect(operation.examples.length).toBeGreaterThan(0);
    const { out } = await call(...name.split(' '), '--help');
    expect(out.replace(/\s+/g, ' ')).toContain(operation.summary);
    expect(out).toContain('--json');
    for (const example of operation.examples) expect(out).toContain(example);
  });

  /** The words of a command as a shell would split them. */
  const wordsOf = (command: string): string[] =>
    [...command.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');

  it.each(
    operations
      .filter(({ surfaces }) => surfaces.includes('cli'))
      .flatMap(({ examples }) => examples)
      .map((example) => /(?:^|\| )holdfast ([^|>;#&]*)/.exec(example)?.[1] ?? '')
      .filter((command) => command !== ''),
  )('accepts its own example: %s', async (command) => {
    const { ran, error } = await call(...wordsOf(command));
    expect([error, ran?.name]).toEqual([undefined, expect.any(String)]);
  });

  it('compares projects that are named one by one, or with commas', async () => {
    const named = async (...words: string[]) => (await call('projects', 'compare', ...words)).ran?.input.projects;
    expect(await named('lamp', 'gulls')).toEqual(['lamp', 'gulls']);
    expect(await named('lamp,gulls', 'boats')).toEqual(['lamp', 'gulls', 'boats']);
    expect((await call('projects', 'compare', 'lamp')).error?.message).toBe('<projects> must be at least 2');
  });

  it('takes all words of a query, and options anywhere', async () => {
    const { ran } = await call('search', 'flaky', '--limit', '3', 'login', '--kind=session', '--json');
    expect(ran).toMatchObject({ name: 'search', json: true });
    expect(ran?.input).toMatchObject({ query: 'flaky login', limit: 3, kind: 'session', subagents: true });
  });

  it.each([['-foo'], ['--'], ['-'], ['*'], ['"'], ['--dry-run does nothing'], ['-h is short']])(
    'takes %j as a query',
    async (query) => {
      const argv = query === '--' ? ['search', '--', '--'] : ['search', query];
      expect((await call(...argv)).ran?.input.query).toBe(query);
    },
  );

  it('knows session commands by two names: the grouped one and the short one', async () => {
    for (const [words, name, input] of [
      ['sessions list --project x', 'sessions', { project: 'x' }],
      ['sessions show 0f3c --subagents', 'show', { id: '0f3c', subagents: true }],
      ['search mast --subagents', 'search', { query: 'mast', subagents: true }],
      ['search mast --no-subagents', 'search', { query: 'mast', subagents: false }],
      ['sessions resume retry queue --print', 'resume', { session: 'retry queue', print: true }],
      ['sessions archive 0f3c --name Tax --json', 'archive', { id: '0f3c', name: 'Tax' }],
      ['sessions resume -rf --agent pi', 'resume', { session: '-rf', agent: 'pi' }],
      ['groups search tide -foo --limit 3 bar', 'groups search', { group: 'tide', query: '-foo bar', limit: 3 }],
    ] as const) {
      const { ran, error } = await call(...words.split(' '));
      expect([words, error]).toEqual([words, undefined]);
      expect(ran).toMatchObject({ name, input });
    }
    expect((await call('sessions', '--help')).out).toMatch(/list.*show.*resume.*archive/s);
    expect(completion('bash', operations)).toContain('sessions archive');
  });

  it.each([
    [['groups', 'create', 'Bad Name'], /^<group> must be up to 63 of a-z/],
    [['groups', 'create', 'global'], /^<group> must not be global/],
    [['groups', 'clear', 'tide', '--name', 'x'.repeat(201)], /^--name must be at most 200 characters$/],
    [['groups', 'clear', 'tide', '--name', ' '], /^--name must not be empty$/],
    [['remember', 'x', '--tag', 'a b'], /^--tag must be words of/],
  ])('says what is wrong with %j', async (argv, message) => {
    expect((await call(...argv)).error?.message).toMatch(message);
  });

  it('lists settings when only `config` is typed', async () => {
    expect((await call('config')).ran).toMatchObject({ name: 'config list', json: false });
    expect((await call('config', '--json')).ran).toMatchObject({ name: 'config list', json: true });
    expect((await call('config', 'list', '--json')).ran).toMatchObject({ name: 'config list', json: true });
  });

  it('lists projects when only `projects` is typed, and knows the command below', async () => {
    expect((await call('projects')).ran).toMatchObject({ name: 'projects', json: false });
    expect((await call('projects', '--json')).ran).toMatchObject({ name: 'projects', json: true });
    expect((await call('projects', 'link', '/a', '/b', '--json')).ran).toMatchObject({
      name: 'projects link',
      input: { from: '/a', to: '/b' },
      json: true,
    });
  });

  it.each([
    [['search', 'x', '--limit', 'many'], '--limit must be a whole number'],
    [['search', 'x', '--limit', '1.5'], '--limit must be a whole number'],
    [['search', 'x', '--limit', '0'], '--limit must be at least 1'],
    [['search', 'x', '--limit', '1001'], '--limit must be at most 1000'],
    [['search', 'x', '--kind', 'page'], '--kind must be one of: entry, session'],
    [['conversations', '--status', 'lost'], '--status must be one of: active, ready'],
    [['serch'], 'There is no command "serch"'],
    [['config', 'gte'], 'There is no command "config gte"'],
    [['projects', 'lnk'], 'There is no command "projects lnk"'],
    [['worker'], 'needs one of: run, start, stop, status'],
    [['completion', 'tcsh'], 'no completion for "tcsh"'],
  ])('refuses %j with its own message', async (argv, message) => {
    const { error, ran } = await call(...argv);
    expect(ran).toBeUndefined();
    expect(error).toBeInstanceOf(HoldfastError);
    expect(error?.message).toContain(message);
    expect((error as HoldfastError).hint).toBeDefined();
  });

  it('suggests the command and the option that were meant', async () => {
    const hintOf = async (...argv: string[]) => ((await call(...argv)).error as HoldfastError).hint;
    expect(await hintOf('serch')).toBe('Did you mean: holdfast search?');
    expect(await hintOf('config', 'gte')).toBe('Did you mean: holdfast config get?');
    expect(await hintOf('x'.repeat(100_000))).toMatch(/^Commands: search, /);
    expect(await hintOf('--', '--serch')).toBe('Did you mean: holdfast search?');
    expect((await call('search', 'x', '--limt', '3')).error?.message).toContain('--limit');
  });

  it('shows its help when nothing is typed', async () => {
    expect((await call()).out).toContain('Usage: holdfast');
  });

  it('groups its help by what people want to do, with examples', async () => {
    const { out } = await call();
    expect([...out.matchAll(/^(\w[\w ]*):$/gm)].map(([, topic]) => topic)).toEqual([
      'Options',
      ...Object.keys(topics),
      'Examples',
    ]);
    expect(out.indexOf('search [options]')).toBeLessThan(out.indexOf('show [options]'));
    const named = new Set(Object.values(topics).flat());
    const firsts = new Set(operations.map(({ name }) => name.split(' ')[0]));
    for (const first of firsts) expect(named, first).toContain(first);
  });

  it('explains options in columns that fit, also where an option has many choices', async () => {
    const { out } = await call('help', 'sessions');
    expect(out).toMatch(/--agent <agent> +only sessions of this agent:\s+claude-code,/);
    expect((await call('help', 'briefing')).out).toContain('why the session starts: startup,');
    for (const { name } of operations)
      for (const line of (await call('help', ...name.split(' '))).out.split('\n'))
        if (!/^ {2}holdfast |^Usage: /.test(line)) expect(line.length, `${name}: ${line}`).toBeLessThanOrEqual(80);
  });

  it('explains a command by name, and prints the version', async () => {
    expect((await call('help', 'search')).out).toContain('Usage: holdfast search');
    expect((await call('help', 'memory', 'edit')).out).toContain('Usage: holdfast memory edit');
    expect((await call('help')).out).toContain('Find:');
    expect((await call('help', 'serch')).error?.message).toContain('no command "serch"');
    expect((await call('help', 'memory', 'edti')).error?.message).toContain('no command "memory edti"');
    expect((await call('version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('takes -n for --limit, and a dash before other words as a word', async () => {
    expect((await call('search', '-n', '3', 'foo')).ran?.input).toMatchObject({ query: 'foo', limit: 3 });
    expect((await call('search', 'foo', '-n5')).ran?.input).toMatchObject({ query: 'foo', limit: 5 });
    expect((await call('search', '-n', 'foo')).ran?.input).toMatchObject({ query: '-n foo', limit: 10 });
    expect((await call('sessions', '-n', '7')).ran?.input).toMatchObject({ limit: 7 });
    expect((await call('sessions', '-n', '0')).error?.message).toBe('--limit must be at least 1');
  });

  it('names the arguments that a command does not take, and the command that does', async () => {
    expect((await call('timeline', '2026-02-12')).error).toMatchObject({
      message: 'holdfast timeline does not take the argument "2026-02-12"',
      hint: 'For one day: holdfast day 2026-02-12. From a day on: holdfast timeline --since 2026-02-12',
    });
    expect((await call('show', '0f3c', 'and', 'more')).error).toMatchObject({
      message: 'holdfast show does not take the argument "and more"',
      hint: 'See: holdfast show --help',
    });
  });

  it('offers a choice of table columns', async () => {
    const { ran } = await call('sessions', '--columns', 'title,session');
    expect(ran).toMatchObject({ columns: ['title', 'session'] });
    expect((await call('projects', '--columns', 'path')).ran).toMatchObject({ columns: ['path'] });
    for (const [argv, message] of [
      [['sessions', '--columns', 'colour'], '--columns: there is no column "colour"'],
      [['sessions', '--columns', ','], '--columns must name at least one'],
      [['sessions', '--columns', 'title', '--json'], 'cannot be combined'],
    ] as const)
      expect((await call(...argv)).error?.message).toContain(message);
  });

  it.each(shells)('completes every command in %s', (shell) => {
    const script = completion(shell, operations);
    for (const { name } of operations) for (const word of name.split(' ')) expect(script).toContain(word);
    expect(script).toContain('entry session');
  });
});
