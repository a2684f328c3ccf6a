// Clock times have 12 or 24 hours by the person's locale or setting, the same in the terminal and in the browser.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { noBrowser, sample, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const twelve = /^\d\d:\d\d [AP]M$/;
const twentyFour = /^\d\d:\d\d$/;

describe('the clock', () => {
  let stand: ViewerStand;
  let session: string;
  beforeAll(async () => {
    stand = await viewerStand(sample);
    stand.run('ingest');
    session = (JSON.parse(stand.run('sessions', '--json')) as { sessions: { id: string }[] }).sessions[0]?.id ?? '';
    await stand.startWorker();
  });
  afterAll(async () => {
    await stand?.close();
    expect(stand?.troubles).toEqual([]);
  });

  /** The times of all entries in the terminal, without the dates. */
  const inTerminal = async (env: NodeJS.ProcessEnv) =>
    [...(await stand.runWith(env, 'show', session)).matchAll(/^\d{4}-\d\d-\d\d (\d\d:\d\d(?: [AP]M)?) {2}/gm)].map(
      ([, time]) => time,
    );
  const inBrowser = async (page: Page) => {
    await visit(page, `${stand.origin}/sessions/${session}`);
    const times = page.locator('main article time');
    await times.first().waitFor();
    return times.allTextContents();
  };
  const set = (value: string) => stand.run('config', 'set', 'clock', value);

  it('follows the locale in the terminal, until the person sets it', async () => {
    set('auto');
    const shown = async (env: NodeJS.ProcessEnv, form: RegExp) => {
      const times = await inTerminal(env);
      expect(times.length).toBeGreaterThan(1);
      for (const time of times) expect(time).toMatch(form);
    };
    await shown({}, twentyFour);
    await shown({ LANG: 'en_US.UTF-8' }, twelve);
    await shown({ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, twentyFour);
    await shown({ LC_TIME: 'de_DE.UTF-8', LANG: 'en_US.UTF-8' }, twentyFour);
    await shown({ HOLDFAST_CLOCK: '12' }, twelve);
    set('24');
    await shown({ LANG: 'en_US.UTF-8' }, twentyFour);
    expect(() => set('13')).toThrow('must be one of: 12, 24, auto');
  });

  it.skipIf(noBrowser)(
    because('shows the same times in a browser of the same locale or setting', noBrowser),
    async () => {
      const [american, british] = [await stand.page({ locale: 'en-US' }), await stand.page({ locale: 'en-GB' })];
      const same = async (page: Page, env: NodeJS.ProcessEnv, form: RegExp) => {
        const [shown, printed] = [await inBrowser(page), await inTerminal(env)];
        expect(shown[0]).toMatch(form);
        for (const time of shown) expect(printed).toContain(time);
      };
      set('auto');
      await same(american, { LANG: 'en_US.UTF-8' }, twelve);
      await same(british, { LANG: 'en_GB.UTF-8' }, twentyFour);
      set('24');
      await same(american, { LANG: 'en_US.UTF-8' }, twentyFour);
      set('12');
      await same(british, { LANG: 'en_GB.UTF-8' }, twelve);
    },
  );
});
