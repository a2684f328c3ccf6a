// The user waits while a command loads. Packages that one command needs must not slow down the others.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { holdfast, type Place, place, temporaryFolder } from './holdfast.ts';

/** The installed packages of which a command has loaded files. Node records every script, for coverage. */
async function packagesOf({ env }: Place, ...args: string[]): Promise<string[]> {
  const folder = temporaryFolder();
  const { code, stderr } = await holdfast({ ...env, NODE_V8_COVERAGE: folder }, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const urls = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  expect(urls.some((url) => url.endsWith('/dist/holdfast.js'))).toBe(true);
  const named = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return [...new Set(named)].filter((name) => !name.startsWith('.')).sort();
}

it('an MCP server loads nothing but itself before the first call', async () => {
  expect(await packagesOf(place(), 'mcp')).toEqual([]);
});

it('a command that reads the store loads what opens it', async () => {
  const at = place();
  expect(await packagesOf(at, '--version')).toEqual([]);
  for (const args of [['sessions'], ['resume'], ['search', 'lamp']])
    expect(await packagesOf(at, ...args), args.join(' ')).toEqual(['better-sqlite3', 'bindings', 'file-uri-to-path']);
});

it('the test sees what an import loads', async () => {
  expect(await packagesOf(place(), 'ingest')).toContain('better-sqlite3');
});
