// When jobs are due, and what people read on jobs and conversations. The store applies it and knows none of it.
import type { Config } from '../config/config.ts';
import type { JobWords, PlanRules } from '../store/jobs/port.ts';

/** Agents write their last entries within seconds of the hook that reports the stop. */
const lateMs = 60_000;

export const planRules = (settings: Pick<Config['settings'], 'conversationGapMinutes'>): PlanRules => ({
  gapMs: settings.conversationGapMinutes * 60_000,
  lateMs,
  distilledElsewhere: 'distilled on the machine it came from',
});

export const jobWords: JobWords = {
  lost: (attempts, before) =>
    `${attempts} attempts ended with their process${before === undefined ? '' : `; before that: ${before}`}`,
  givenUp: (error) => `given up: ${error}`,
};

export const cancelledReason = 'cancelled';
