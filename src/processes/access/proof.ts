// How a hook can tell the worker from whoever else holds its port, before it shows the token: only who has the token can answer.
import { createHmac } from 'node:crypto';

/** The port is part of it, so that nobody can pass the question on to a worker elsewhere. */
export const proofOf = (token: string, port: number, nonce: string): string =>
  createHmac('sha256', token).update(`holdfast ${port} ${nonce}`).digest('hex');
