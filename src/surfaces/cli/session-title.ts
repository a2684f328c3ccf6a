import type { Session } from '../../schema/session.ts';

/** With the star and the tags that the person gave it. */
export const titleOf = ({ title, starred, tags = [] }: Session): string =>
  [...(starred ? ['★'] : []), title, ...tags.map((tag) => `#${tag}`)].join(' ');
