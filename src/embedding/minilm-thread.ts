// The thread that runs MiniLM.
import { workerData } from 'node:worker_threads';
import { openMiniLm } from './minilm-model.ts';
import { answerTexts } from './thread.ts';

answerTexts('MiniLM', () => openMiniLm(workerData as string));
