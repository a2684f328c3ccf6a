// What the hub's own functions refuse. A client recognises a refusal by its SQLSTATE. The class ZH is ours: the SQL standard
// leaves classes from I to Z to implementations, and PostgreSQL does not use this one.

const refusals = {
  notMember: { state: 'ZH001', text: 'holdfast: not a member' },
  unknownCode: { state: 'ZH002', text: 'holdfast: no such code' },
  machineExists: { state: 'ZH003', text: 'holdfast: machine exists' },
  pushBetween: { state: 'ZH004', text: 'holdfast: another push came between' },
} as const;

export type Refusal = keyof typeof refusals;

/** The PL/pgSQL statement that refuses, without its semicolon. */
export const raise = (refusal: Refusal): string =>
  `RAISE EXCEPTION '${refusals[refusal].text}' USING ERRCODE = '${refusals[refusal].state}'`;

/** The state of every exception that a function raises without naming one. */
const unnamed = 'P0001';

/** Undefined if another part of the server raised the error. A hub whose functions are older gives the text alone. */
export function refusalOf(state: string, text: string): Refusal | undefined {
  const known = Object.entries(refusals) as [Refusal, (typeof refusals)[Refusal]][];
  return known.find(([, one]) => one.state === state || (state === unnamed && one.text === text))?.[0];
}
