import { withCommas } from '../schema/with-commas.ts';

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${withCommas(count)} ${count === 1 ? one : many}`;
