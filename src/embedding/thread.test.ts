import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { answerOn } from './thread.ts';

type Open = Parameters<typeof answerOn<number>>[2];

function channelTo(open: Open) {
  const { port1: asking, port2: answering } = new MessageChannel();
  onTestFinished(() => asking.close());
  answerOn(answering, 'the model', open);
  return async (id: number, ...texts: string[]): Promise<unknown> => {
    const answered = once(asking, 'message');
    asking.postMessage({ id, texts });
    return (await answered)[0];
  };
}

const lengths = (texts: readonly string[]) => texts.map(({ length }) => length);

it.each<[string, (error: Error) => Promise<typeof lengths>]>([
  [
    'throws at once',
    (error) => {
      throw error;
    },
  ],
  ['rejects', (error) => Promise.reject(error)],
])('an embedder whose opening %s answers with the error, and the next texts open it again', async (_, fail) => {
  let attempts = 0;
  const ask = channelTo(() => (++attempts === 1 ? fail(new Error('the file of the model is damaged')) : lengths));
  expect(await ask(1, 'high tide')).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('the file of the model is damaged') },
  });
  expect(await ask(2, 'high', 'low')).toEqual({ id: 2, vectors: [4, 3] });
  expect(await ask(3, 'ebb')).toEqual({ id: 3, vectors: [3] });
  expect(attempts).toBe(2);
});
