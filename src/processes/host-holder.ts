// Which process is the host of a data folder: a claim names it, as for the worker.
import path from 'node:path';
import { type Claim, claim, type Holder, holderOf } from './claim.ts';

const claimFile = (home: string): string => path.join(home, 'host.pid');

export const claimHost = ({ home }: { readonly home: string }, version: string): Promise<Claim> =>
  claim(claimFile(home), version);

/** The process that is the host now, if there is one. */
export const hostOf = ({ home }: { readonly home: string }): Promise<Holder | undefined> => holderOf(claimFile(home));
