// ④ The weight of each feature of a session, learned by the method of scripts/recall/train.mjs: for questions from the 197 of coding-dev and
// coding-dev2, for messages of commits from 235 commits of coding-sessions. Fitted and cross-validated figures: bench/HISTORY.md.
export const sessionFeatureNames = [
  // The scores of its turns, added up; what of the question it contains, as a whole and in its best turn.
  'turns',
  'covered',
  'turnCovered',
  // How near its nearest turn is, and its three nearest together; its three best turns by words.
  'meaning',
  'meanings',
  'wordsOfTurns',
  'turnCount',
  'entryCount',
] as const;
export type SessionFeature = (typeof sessionFeatureNames)[number];

type Weights = Readonly<Record<SessionFeature, number>>;

export const sessionWeights: Readonly<Record<'question' | 'commit', Weights>> = {
  question: {
    turns: 1.97,
    covered: 0.57,
    turnCovered: 0.73,
    meaning: 0.58,
    meanings: 0.3,
    wordsOfTurns: 0,
    turnCount: -1.7,
    entryCount: -1.23,
  },
  commit: {
    turns: 0.67,
    covered: 0.88,
    turnCovered: 0,
    meaning: 1.27,
    meanings: 2.03,
    wordsOfTurns: 1.97,
    turnCount: 0,
    entryCount: 0,
  },
};
