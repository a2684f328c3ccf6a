// ④ The weight of each feature of an entry: learned by the method of scripts/recall/train.mjs from the 197 questions of coding-dev and
// coding-dev2, with a penalty on the distance from earlier weights. Fitted and cross-validated figures: bench/HISTORY.md.
// That of `subagent` is chosen: from 0 to -.75 the figures are the same.
import type { FeatureName } from './features.ts';

export const weights: Readonly<Record<FeatureName, number>> = {
  said: 0.75,
  inTurn: -0.94,
  words: 0.55,
  uses: 1.57,
  meaning: 3.15,
  nearWords: 0.37,
  nearMeaning: 1.01,
  turnWords: 1.78,
  turnMeaning: 2.3,
  promptWords: 0.17,
  promptMeaning: 0.63,
  sessionTurns: -1.68,
  prompt: 0.9,
  length: 1.29,
  used: -0.14,
  last: 1.26,
  covered: 0.61,
  turnCovered: 0.74,
  subagent: -0.2,
  announces: -1.12,
  failed: 0.67,
  commandAsked: 1.42,
  errorAsked: 0.44,
  reasonAsked: 0.62,
  requestAsked: 1.74,
  placeAsked: 0.11,
};
