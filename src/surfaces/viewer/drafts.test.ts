import { expect, it } from 'vitest';
import { readDraft } from './drafts.ts';

it('reads a draft back unchanged, and ignores anything else', () => {
  expect(readDraft(JSON.stringify({ text: 'a', was: 'b' }))).toEqual({ text: 'a', was: 'b' });
  for (const stored of [null, '', '{', 'null', '7', '[]', '{"text":1,"was":""}', '{"text":"a"}'])
    expect(readDraft(stored)).toBeUndefined();
});
