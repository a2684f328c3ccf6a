// How often and when a message to a group is tried again.

/** How long a group waits after each failure in a row. After the last, its next message tries again. */
export const backoff: readonly number[] = [5, 10, 20, 40, 80].map((seconds) => seconds * 1000);

/** After this many failed attempts, a message is given up for good: it may be the cause of the failures. */
export const mostAttempts = 12;
