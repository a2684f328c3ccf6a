// ④ The weight of each feature of an entry: learned by the method of scripts/recall/train.mjs from the 197 questions of coding-dev and
// coding-dev2 with vectors of the table alone. Fitted and cross-validated figures: bench/RESULTS.md.
import type { FeatureName } from './features.ts';

export const weights: Readonly<Record<FeatureName, number>> = {
  said: 0.89,
  inTurn: -0.82,
  words: 1.01,
  uses: 1.45,
  meaning: 2.41,
  nearWords: 0.47,
  nearMeaning: 0.92,
  turnWords: 1.78,
  turnMeaning: 1.72,
  promptWords: 0.51,
  promptMeaning: 0.63,
  sessionTurns: -1.23,
  prompt: 0.83,
  length: 1.14,
  used: -0.15,
  last: 1.2,
  announces: -0.99,
  failed: 0.58,
  commandAsked: 1.18,
  errorAsked: 0.4,
  reasonAsked: 0.53,
  requestAsked: 1.43,
  placeAsked: 0.0,
};
