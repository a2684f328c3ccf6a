// Prepared files contain what `briefing` says, for every folder that a session may start in.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../../test/demo-memory.ts';
import { apply, fact } from '../../../test/memory-stand.ts';
import { loadConfig } from '../../config/config.ts';
import { briefingFolder, briefingNames } from '../../system/briefing-folder.ts';
import { forget } from '../data/forget.ts';
import { memoryForget } from '../memory/memory-change.ts';
import type { Context } from '../operation.ts';
import { briefing } from './briefing.ts';
import { mute } from './pins.ts';
import { prepareProject, renewBriefings } from './prepare-briefings.ts';
import { projectsLink } from './projects.ts';

const session = '11111111-2222-4333-8444-555555555501';

async function memory(): Promise<Memory> {
  const own = await emptyMemory();
  await tell(own, session, '/srv/shop', '2026-11-01T10:00:00Z', [
    { by: 'user', text: 'Paint the hull of the ferry red.' },
    { by: 'assistant', text: 'The hull is red.' },
  ]);
  await tell(own, 'other', '/srv/shop', '2026-11-02T10:00:00Z', [{ by: 'user', text: 'Mend the herring nets.' }]);
  await tell(own, 'third', '/srv/mill', '2026-11-02T11:00:00Z', [{ by: 'user', text: 'Grind the barley.' }]);
  return own;
}

const noteOf = ({ config }: Context, folder: string, name: string = briefingNames.project) =>
  path.join(config.home, 'briefings', 'folders', folder, briefingNames.notes, name);
/** What the note in this very folder tells a session; undefined if there is none. */
function prepared(context: Context, folder: string, name?: string): string | undefined {
  const note = noteOf(context, folder, name);
  if (!fs.existsSync(note)) return undefined;
  const hash = fs.readFileSync(note, 'utf8').trim();
  return hash === '' ? '' : briefingFolder(context.config.home).text(hash)?.text;
}
/** As the worker does it, also for what a command had no time to renew on a slow machine. */
const all = async (context: Context) => {
  for (const { path: project } of await context.store.projects.list()) await prepareProject(context, project);
};
const filesBelow = ({ config }: Context) => {
  const folder = path.join(config.home, 'briefings');
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
};
/** Files that contain it. */
const holding = (context: Context, what: RegExp) =>
  filesBelow(context).filter((file) => fs.statSync(file).isFile() && what.test(fs.readFileSync(file, 'utf8')));

describe('prepared briefings', () => {
  it('are those of `briefing`: for a session that starts, and for each that may continue', async () => {
    const { context } = await memory();
    await all(context);
    for (const project of ['/srv/shop', '/srv/mill'])
      expect(prepared(context, project)).toBe((await briefing.run(context, { project, source: 'startup' })).text);
    for (const source of ['resume', 'compact'] as const)
      expect(prepared(context, '/srv/shop', session)).toBe(
        (await briefing.run(context, { project: '/srv/shop', session, source })).text,
      );
    expect(prepared(context, '/srv/shop', session)).toContain('## This session so far\n- Asked first: Paint the hull');
    expect(prepared(context, '/srv')).toBeUndefined();
  });

  it('5. are lines of JSON that the client accepts whole', async () => {
    const own = await memory();
    for (let i = 0; i < 40; i++)
      await tell(own, `s${i}`, '/srv/shop', `2026-10-${String(1 + (i % 28)).padStart(2, '0')}T10:00:00Z`, [
        { by: 'user', text: `Number ${i}: ${'why does the "tide" turn? '.repeat(80)}` },
      ]);
    await all(own.context);
    const line = fs.readFileSync(
      path.join(
        own.context.config.home,
        'briefings',
        'texts',
        `${fs.readFileSync(noteOf(own.context, '/srv/shop'), 'utf8').trim()}.json`,
      ),
      'utf8',
    );
    expect(line.endsWith('}\n')).toBe(true);
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(JSON.parse(line).hookSpecificOutput.additionalContext.length).toBeLessThan(10_000);
  });

  it('are only readable by the owner', async () => {
    const { context } = await memory();
    await all(context);
    for (const file of filesBelow(context)) {
      const { mode } = fs.statSync(file);
      expect([file, mode & 0o777]).toEqual([file, fs.statSync(file).isDirectory() ? 0o700 : 0o600]);
    }
  });

  it('are empty for a muted or ignored project, which then does not get the briefing of the project around it', async () => {
    const { context } = await memory();
    await all(context);
    await mute.run(context, { id: '/srv/shop', remove: false });
    await all(context);
    expect(prepared(context, '/srv/shop')).toBe('');
    const ignoring = {
      ...context,
      config: loadConfig({ ...context.config.environment, HOLDFAST_IGNORE: '/srv/mill' }),
    };
    await prepareProject(ignoring, '/srv/mill');
    expect(prepared(context, '/srv/mill')).toBe('');
  });

  it('follow a folder that was moved', async () => {
    const { context } = await memory();
    await all(context);
    await projectsLink.run(context, { from: '/srv/shop', to: '/home/dev/shop' });
    await all(context);
    expect(prepared(context, '/home/dev/shop')).toContain('Mend the herring nets');
    expect(prepared(context, '/srv/shop')).toBe(prepared(context, '/home/dev/shop'));
  });

  it.each([
    ['out of the tree', '/srv/../../../etc'],
    ['relative', 'srv/shop'],
    ['with a null byte', '/srv/\0shop'],
    ['too long', `/${'x/'.repeat(3000)}x`],
    ['with a name of ours', `/srv/shop/${briefingNames.notes}/${briefingNames.project}`],
  ])('skip a path that is %s without an error', async (_, project) => {
    const { context } = await memory();
    await all(context);
    const before = filesBelow(context).sort();
    expect(await prepareProject(context, project)).toEqual([]);
    expect(filesBelow(context).sort()).toEqual(before);
  });

  it('contain nothing that was forgotten, and neither does any earlier text', async () => {
    const { context } = await memory();
    await all(context);
    const holders = () => holding(context, /hull/);
    expect(holders().length).toBeGreaterThan(0);
    await forget.run(context, { id: session, yes: true } as never);
    expect(holders()).toEqual([]);
    await all(context);
    expect(prepared(context, '/srv/shop')).toContain('herring');
    expect(prepared(context, '/srv/shop', session)).toBeUndefined();
  });

  it('contain nothing of a forgotten prompt, even with no worker running', async () => {
    const { context } = await memory();
    await all(context);
    const holders = () => holding(context, /herring/);
    expect(holders().length).toBeGreaterThan(0);
    const [prompt] = await context.store.entries.transcript('claude-code', 'other');
    await forget.run(context, { id: prompt?.id as string, dryRun: false, yes: true });
    expect(holders()).toEqual([]);
    await all(context);
    expect(prepared(context, '/srv/shop')).toContain('hull');
  });

  it('contain nothing of a forgotten memory, even with no worker running', async () => {
    const own = await memory();
    const { context } = own;
    for (const told of await context.store.conversations.list({}))
      if (told.session === session) await apply(own, told, fact('harbour', 'The harbour master is Ana Quixote'));
    await all(context);
    expect(holding(context, /Quixote/).length).toBeGreaterThan(0);
    const [known] = (await context.store.memory.list({})).filter(({ text }) => /Quixote/.test(text));
    await memoryForget.run(context, { name: known?.id as string, yes: true });
    expect(holding(context, /Quixote/)).toEqual([]);
    await all(context);
    expect(prepared(context, '/srv/shop')).toContain('herring');
  });

  it('are not created by a command if no worker ever created any', async () => {
    const { context } = await memory();
    await renewBriefings(context);
    expect(fs.existsSync(path.join(context.config.home, 'briefings'))).toBe(false);
  });
});
