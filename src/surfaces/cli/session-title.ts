import type { Session } from '../../schema/session.ts';

/** With the person's star and tags. */
export const titleOf = ({ title, starred, tags = [] }: Session): string =>
  [...(starred ? ['★'] : []), title, ...tags.map((tag) => `#${tag}`)].join(' ');
