// The thread that runs the encoder.
import { encodeTexts } from './encoder-texts.ts';
import { answerTexts } from './thread.ts';

answerTexts('the encoder', () => encodeTexts);
