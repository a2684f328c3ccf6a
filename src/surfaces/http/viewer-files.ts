// Reads the built viewer from the package into memory, so that loading a page reads nothing from the disk.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError, systemCode } from '../../system/errors.ts';

export interface ViewerFile {
  readonly type: string;
  /** By content coding: `identity`, `gzip`, `br`. */
  readonly bodies: Readonly<Record<string, Buffer>>;
}

export interface ViewerFiles {
  readonly shell: ViewerFile;
  readonly assets: ReadonlyMap<string, ViewerFile>;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Throws NOT_FOUND if the viewer was not built. */
export function readViewer(folder: string): ViewerFiles {
  try {
    const assets = readdirSync(join(folder, 'assets')).filter((name) => !/\.(?:gz|br)$/.test(name));
    return {
      shell: readFile(join(folder, 'index.html')),
      assets: new Map(assets.map((name) => [name, readFile(join(folder, 'assets', name))])),
    };
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw new HoldfastError('NOT_FOUND', 'The viewer is not built', {
      hint: 'In the folder of Holdfast: npm run build',
    });
  }
}

function readFile(file: string): ViewerFile {
  const type = types[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const identity = readFileSync(file);
  return { type, bodies: { identity, gzip: readFileSync(`${file}.gz`), br: readFileSync(`${file}.br`) } };
}

/** The page with a challenge for the browser to sign, which saves it a request. Not compressed: it is small, and differs each time. */
export function withChallenge({ type, bodies }: ViewerFile, challenge: string): ViewerFile {
  const text = String(bodies.identity).replace(
    'name="challenge" content=""',
    `name="challenge" content="${challenge}"`,
  );
  return { type, bodies: { identity: Buffer.from(text) } };
}

/** The smallest encoding that the browser accepts. */
export function bodyFor({ bodies }: ViewerFile, accepted: string): { coding: string; body: Buffer } {
  const takes = accepted.split(',').map((part) => part.trim().toLowerCase());
  const coding = ['br', 'gzip'].find((one) => takes.includes(one) && bodies[one] !== undefined) ?? 'identity';
  return { coding, body: bodies[coding] as Buffer };
}
