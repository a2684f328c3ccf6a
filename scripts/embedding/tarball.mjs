// Packages of the npm registry in memory: their files and contents.
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';

const registry = 'https://registry.npmjs.org';

async function get(url) {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
      if (response.ok) return Buffer.from(await response.arrayBuffer());
      if (response.status < 500 || attempt === 3) throw new Error(`${url}: ${response.status}`);
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

export const manifest = async (name, version = 'latest') =>
  JSON.parse(String(await get(`${registry}/${name.replace('/', '%2f')}/${version}`)));

/** The bytes of name@version, after a check against `sha512` (as in a lock file) or against the registry's hash. */
export async function tarball(name, version, integrity) {
  const { dist } = await manifest(name, version);
  const bytes = await get(dist.tarball);
  const hash = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const expected = integrity ?? dist.integrity;
  if (expected !== undefined && hash !== expected)
    throw new Error(`${name}@${version} has changed: its hash is ${hash}`);
  return bytes;
}

/** The ordinary files of a tarball, as [path without the first folder, bytes]. */
export function* filesOf(bytes) {
  const tar = gunzipSync(bytes);
  let longName;
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const field = (from, length) => tar.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '');
    const size = Number.parseInt(field(124, 12).trim() || '0', 8);
    const kind = field(156, 1);
    const content = tar.subarray(at + 512, at + 512 + size);
    if (kind === 'x') longName = /\d+ path=(.*)\n/.exec(String(content))?.[1];
    else {
      const prefix = field(345, 155);
      const name = longName ?? (prefix ? `${prefix}/${field(0, 100)}` : field(0, 100));
      if (kind === '0' || kind === '') yield [name.replace(/^[^/]*\//, ''), content];
      longName = undefined;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
}
