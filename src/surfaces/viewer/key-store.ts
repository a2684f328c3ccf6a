// The key of this browser. No script can read its private half, not even ours: the key can only sign. The browser stores it for this
// address only, so no other server on this machine can use it.

export interface BrowserKey {
  readonly id: string;
  /** The public half, in the worker's format. */
  readonly publicKey: string;
  sign(text: string): Promise<string>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const place = 'browser';
/** The names are kept too: each step before the first request delays the page. */
type Kept = CryptoKeyPair & { readonly names?: { readonly id: string; readonly publicKey: string } };
/** For browsers that store nothing: the key then lasts as long as the page. */
let inMemory: Kept | undefined;

export async function ownKey(): Promise<BrowserKey | undefined> {
  // A browser without storage has no key yet.
  const pair = inMemory ?? (await stored().catch(() => undefined));
  return pair === undefined ? undefined : keyOf(pair);
}

/** `keep` replaces the key that this browser has. */
export async function makeKey(): Promise<BrowserKey & { keep(): Promise<void> }> {
  const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const key = { ...pair, names: await namesOf(pair) };
  return {
    ...(await keyOf(key)),
    keep: () =>
      keep(key).catch(() => {
        inMemory = key;
      }),
  };
}

async function namesOf({ publicKey }: CryptoKeyPair) {
  const text = base64url(await crypto.subtle.exportKey('raw', publicKey));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(text)));
  return {
    id: [...hash.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    publicKey: text,
  };
}

async function keyOf(kept: Kept): Promise<BrowserKey> {
  const { privateKey } = kept;
  return {
    ...(kept.names ?? (await namesOf(kept))),
    sign: async (said) =>
      base64url(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytesOf(said))),
  };
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

async function stored(): Promise<Kept | undefined> {
  const database = await open();
  const found: unknown = await done(database.transaction('keys').objectStore('keys').get(place));
  database.close();
  return found as Kept | undefined;
}

async function keep(pair: Kept): Promise<void> {
  const database = await open();
  await done(database.transaction('keys', 'readwrite').objectStore('keys').put(pair, place));
  database.close();
}

function open(): Promise<IDBDatabase> {
  const asked = indexedDB.open('holdfast', 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore('keys');
  return done(asked);
}

const done = <T>(asked: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
