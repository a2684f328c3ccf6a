// Pictures in a line of a transcript, in the forms in which agents write them.
import { asObject } from './json.ts';

export interface Picture {
  readonly type: string;
  /** Base64. */
  readonly data: string;
}

/** Types that a browser shows and that cannot contain scripts. */
const shown = /^image\/(?:png|jpeg|gif|webp)$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Length of the base64 text; the agent's own program shows larger pictures. */
const longest = 12 << 20;
const most = 12;
const deepest = 20;

/** Contract: never throws on any JSON value. */
export function picturesIn(value: unknown): Picture[] {
  const found: Picture[] = [];
  const look = (inside: unknown, depth: number): void => {
    if (typeof inside !== 'object' || inside === null || depth > deepest || found.length >= most) return;
    const picture = Array.isArray(inside) ? undefined : pictureOf(inside as Record<string, unknown>);
    if (picture !== undefined) found.push(picture);
    else for (const one of Object.values(inside)) look(one, depth + 1);
  };
  look(value, 0);
  return found;
}

function pictureOf(block: Record<string, unknown>): Picture | undefined {
  const source = asObject(block.source);
  const inline = asObject(block.inlineData);
  const url = typeof block.image_url === 'string' ? block.image_url : asObject(block.image_url).url;
  const [, ofUrl, inUrl] = (typeof url === 'string' && /^data:([\w/+-]{1,40});base64,([\s\S]*)$/.exec(url)) || [];
  const candidates: readonly (readonly [unknown, unknown])[] = [
    [source.media_type, source.data],
    [inline.mimeType, inline.data],
    [block.mimeType, block.data],
    [ofUrl, inUrl],
  ];
  for (const [type, data] of candidates) {
    if (typeof type !== 'string' || typeof data !== 'string' || !shown.test(type)) continue;
    if (data.length > 0 && data.length <= longest && base64.test(data)) return { type, data };
  }
  return undefined;
}
