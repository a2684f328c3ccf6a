// The process that reads texts closely, at low priority. Nothing waits for it: a search encodes its question itself.
import { yieldSession } from '../system/priority.ts';
import { closeVectors } from './closely.ts';
import { answerAsProcess } from './thread.ts';

yieldSession(process.pid);
answerAsProcess('the encoder', closeVectors);
