// The thread that runs the encoder. Nothing waits for it: a search encodes its question itself.
import { isMainThread } from 'node:worker_threads';
import { yieldThread } from '../system/priority.ts';
import { encodeTexts } from './encoder-texts.ts';
import { answerTexts } from './thread.ts';

if (!isMainThread) yieldThread();
answerTexts('the encoder', () => encodeTexts);
