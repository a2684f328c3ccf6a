// The rules of planning with another silence than the settings have.
import { jobWords, planRules } from '../src/distill/job-policy.ts';
import type { PlanRules } from '../src/store/jobs/port.ts';

export const planningWith = (gapMs: number): PlanRules => ({ ...planRules({ conversationGapMinutes: 0 }), gapMs });

/** Limits of a claim and of a failure. */
export const threeAttempts = { maxAttempts: 3, words: jobWords };
