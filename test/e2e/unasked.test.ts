// An agent's shell has no terminal: a command there must not destroy anything just because it could not ask.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ask, holdfast, place, root } from './holdfast.ts';

it('without a terminal, nothing is destroyed unless the command says --yes', async () => {
  const own = place({ claude: `${root}/demo/claude-code/projects` });
  await ask(own.env, 'ingest');
  await ask(own.env, 'groups', 'create', 'tide');
  const { memory } = await ask(own.env, 'remember', 'The lamp is green', '--about', 'user', '--key', 'lamp');
  const { sessions } = await ask(own.env, 'sessions');
  const session = sessions[0].id as string;
  const state = async () => {
    const [known, groups, pages] = await Promise.all([
      ask(own.env, 'sessions', '--limit', '100'),
      ask(own.env, 'groups'),
      ask(own.env, 'memory', 'list'),
    ]);
    const bytes = createHash('sha256').update(readFileSync(own.database)).digest('hex');
    return { known, groups, pages, bytes };
  };
  const before = await state();
  for (const command of [
    ['forget', session],
    ['forget', memory?.id ?? session],
    ['memory', 'forget', 'core/preferences'],
    ['sessions', 'delete', session],
    ['sessions', 'purge', '--keep', '0'],
    ['groups', 'remove', 'tide'],
    ['forget', 'no-such-thing'],
  ]) {
    const { code, stdout, stderr } = await holdfast(own.env, ...command);
    expect([command, code, stdout]).toEqual([command, 2, '']);
    expect(stderr).toMatch(/nothing here can confirm that[\s\S]*--yes/);
    const inJson = await holdfast(own.env, ...command, '--json');
    expect([command, inJson.code]).toEqual([command, 2]);
  }
  expect(await state()).toEqual(before);
  expect(await ask(own.env, 'forget', session, '--dry-run')).toMatchObject({ forgotten: false });
  expect(await ask(own.env, 'sessions', 'delete', session, '--yes')).toMatchObject({ deleted: true });
});
