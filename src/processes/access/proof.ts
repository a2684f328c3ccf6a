// How a hook identifies the worker before it shows the token, since another program may hold the port: only a process
// with the token can answer.
import { createHmac } from 'node:crypto';

/** Includes the port, so that the question cannot be passed on to a worker on another port. */
export const proofOf = (token: string, port: number, nonce: string): string =>
  createHmac('sha256', token).update(`holdfast ${port} ${nonce}`).digest('hex');
