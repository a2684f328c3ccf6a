// The viewer searches what teammates share, where the machine has joined a hub, and says whose a hit is.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { addressIn, type Cluster, newMachine, noPostgres, openCluster } from '../hub-stand.ts';
import { noBrowser, type ViewerStand, viewerStand, visit } from './viewer-stand.ts';

const missing = noPostgres ?? noBrowser;

describe.skipIf(missing)(because('a search of the team', missing), () => {
  let cluster: Cluster;
  let stand: ViewerStand;
  let page: Page;
  beforeAll(async () => {
    cluster = await openCluster();
    stand = await viewerStand();
    await stand.startWorker();
    page = await stand.page();
  });
  afterAll(async () => {
    await stand?.close();
    await cluster?.close();
    expect(stand?.troubles).toEqual([]);
  });

  it('is offered once the machine has joined a hub, and finds what a teammate said', async () => {
    await visit(page, `${stand.origin}/search?q=foghorn`);
    await page.getByText('Nothing is stored yet').waitFor();
    expect(await page.getByRole('combobox', { name: 'Where' }).count()).toBe(0);
    const laptop = await newMachine('laptop');
    await laptop.session(['the foghorn is tested on Mondays']);
    const url = cluster.url(await cluster.newDatabase());
    await laptop.run('hub init', { url, as: 'anna', machine: 'laptop' });
    await laptop.run('hub share', { project: 'app', with: 'team' });
    stand.run('hub', 'join', addressIn((await laptop.run('hub invite', { name: 'bob' })).command), '--machine', 'desk');
    await visit(page, `${stand.origin}/search?q=foghorn`);
    await page.getByRole('combobox', { name: 'Where' }).selectOption('team');
    const hit = page.locator('.hit');
    await hit.locator('.snippet').getByText('Mondays').first().waitFor();
    expect(await hit.textContent()).toContain('anna on laptop');
    expect(new URL(page.url()).searchParams.get('scope')).toBe('team');
    // Tools are searched on this machine only: the choice of one ends the other.
    await page.getByRole('combobox', { name: 'What' }).selectOption('command');
    await page.getByText('Nothing is stored yet').waitFor();
    expect(new URL(page.url()).searchParams.get('scope')).toBeNull();
  });
});
