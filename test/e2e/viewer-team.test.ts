// The viewer searches what teammates share, where the machine has joined a hub, and says whose a hit is.
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { bytesOf, prompt } from '../contracts/transcript-builder.ts';
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

  /** A teammate shares a session; the machine of the viewer joins. */
  async function joinTeam(teammate: string) {
    const laptop = await newMachine('laptop');
    await laptop.session(['the foghorn is tested on Mondays']);
    const url = cluster.url(await cluster.newDatabase());
    await laptop.run('hub init', { url, as: teammate, machine: 'laptop' });
    await laptop.run('hub share', { project: 'app', with: 'team' });
    const invitation = addressIn((await laptop.run('hub invite', { name: `${teammate}s_friend` })).command);
    stand.run('hub', 'join', invitation, '--machine', 'desk');
  }

  it('is offered once the machine has joined a hub, and finds what a teammate said', async () => {
    await visit(page, `${stand.origin}/search?q=foghorn`);
    await page.getByText('Nothing is stored yet').waitFor();
    expect(await page.getByRole('combobox', { name: 'Where' }).count()).toBe(0);
    await joinTeam('anna');
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
    stand.run('hub', 'leave', '--yes');
  });

  it('shows what is on this machine while the hub is asked', async () => {
    const folder = path.join(stand.folder, 'shop');
    fs.mkdirSync(path.join(stand.claude, 'p'), { recursive: true });
    fs.writeFileSync(
      path.join(stand.claude, 'p/own.jsonl'),
      bytesOf([prompt('own-0', 'a foghorn of my own', 0, { sessionId: 'own', cwd: folder })]),
    );
    stand.run('ingest');
    await joinTeam('annie');
    let answer = () => {};
    const released = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/api\/search\?.*scope=team/, async (route) => {
      await released;
      await route.continue();
    });
    await visit(page, `${stand.origin}/search?q=foghorn&scope=team`);
    const snippets = page.locator('.hit .snippet');
    await snippets.getByText('of my own').first().waitFor();
    await page.getByText('The hub has not answered yet').waitFor();
    expect(await snippets.getByText('Mondays').count()).toBe(0);
    answer();
    await snippets.getByText('Mondays').first().waitFor();
    await snippets.getByText('of my own').first().waitFor();
    expect(await page.getByText('The hub has not answered yet').count()).toBe(0);
  });
});
