// The process that reads texts closely, at low priority. Nothing waits for it: a search encodes its question itself.
import { yieldProcess } from '../system/priority.ts';
import { closeVectors } from './closely.ts';
import { answerAsProcess } from './thread.ts';

yieldProcess(process.pid);
answerAsProcess('the encoder', closeVectors);
