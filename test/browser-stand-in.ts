// What the viewer's page does to get in, without a browser: a key, a code, signatures.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';

export interface StandIn {
  readonly id: string;
  readonly publicKey: string;
  sign(port: number, challenge: string): string;
  /** Sends a code. Returns the bearer token, or undefined after a refusal. */
  enter(origin: string, code: string): Promise<string | undefined>;
  /** Returns without a code. */
  comeBack(origin: string): Promise<string | undefined>;
}

export function browserStandIn(): StandIn {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const publicKey = point.toString('base64url');
  const id = createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
  const say = async (url: string, body: object): Promise<{ bearer?: string; challenge?: string }> => {
    const headers = { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.ok ? ((await answer.json()) as { bearer?: string; challenge?: string }) : {};
  };
  const own: StandIn = {
    id,
    publicKey,
    sign: (port, challenge) =>
      sign('sha256', Buffer.from(`holdfast browser ${port} ${challenge}`), {
        key: pair.privateKey,
        dsaEncoding: 'ieee-p1363',
      }).toString('base64url'),
    enter: async (origin, code) => (await say(`${origin}/open/browser`, { code, key: publicKey })).bearer,
    async comeBack(origin) {
      const { challenge = '' } = await say(`${origin}/open/challenge`, {});
      const signature = own.sign(Number(new URL(origin).port), challenge);
      return (await say(`${origin}/open/ticket`, { id, challenge, signature })).bearer;
    },
  };
  return own;
}
