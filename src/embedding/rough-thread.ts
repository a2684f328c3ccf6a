// The thread that computes rough vectors.
import { roughVectors } from './rough.ts';
import { answerTexts } from './thread.ts';

answerTexts('the table of word vectors', () => roughVectors);
