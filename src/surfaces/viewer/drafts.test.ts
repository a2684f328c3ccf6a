import { expect, it } from 'vitest';
import { readDraft } from './drafts.ts';

it('a draft is read back as it was kept, and anything else is none', () => {
  expect(readDraft(JSON.stringify({ text: 'a', was: 'b' }))).toEqual({ text: 'a', was: 'b' });
  for (const stored of [null, '', '{', 'null', '7', '[]', '{"text":1,"was":""}', '{"text":"a"}'])
    expect(readDraft(stored)).toBeUndefined();
});
