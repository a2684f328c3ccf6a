// The message of a commit → a title, and whether it tells anything.
import { capital } from './say.ts';

export const kindOfChange = /^(\w+)(?:\([^)]*\))?!?:\s+/;
export const tidiesUp =
  /^(?:merge\b|wip\b|tmp\b|temp\b|bump\b|release\b|v?\d+\.\d+|revert\b|checkpoint\b|save\b|changes\b|updates?\W*$|(?:update|add|tweak) (?:the )?(?:changelog|readme|deps|dependenc\w+|docs?|comments?|tests?|snapshots?|lock ?file)\W*$|(?:fix|address|apply|resolve|handle)\w* (?:the )?(?:\w+ ){0,2}(?:lint\w*|review|feedback|comments?|typos?|format\w*|ci|conflicts?|bugbot|copilot|cursor|nits?|imports?|merge|tests?|build|warnings?|suggestions?|findings)\b.{0,20}$|(?:re)?format|gofmt|lint\b|typos?\b|clean ?up\b|cleanup\b|minor\b|small\b|more\b|initial commit|first commit|remove (?:now-?)?(?:unused|stale|obsolete)\b|remove (?:\w+ )?(?:comment|import)s?\b|nolint\b|go mod tidy)/i;

/** A commit that only tidies up does not say what a session was about. */
export const isHousekeeping = (message: string): boolean => {
  const plain = message.replace(kindOfChange, '').trim();
  return (
    plain.split(/\s+/).length < 2 ||
    tidiesUp.test(plain) ||
    /^(?:chore|style|ci|build|gofmt|fmt|lint)(?:\(|:)/.test(message)
  );
};

const documents =
  /^(?:docs?|plans?)[(:]|^docs\b|^(?:\w+ ){0,2}(?:documentation|docs|readme|changelog)\b|^(?:\w+ ){0,2}[A-Z]{4,}\.md\b|\bplan$/i;
/** What shows that the work was done, but not what it was. */
const proof =
  /\b(?:evidence|dogfood(?:ing)?|screenshots?|walkthroughs?)(?: (?:index|notes?|logs?|reports?|files?|artifacts?|runs?|branch(?:es)?))*$/i;

/** Whether a commit keeps only what shows that other work was done. */
export const isProof = (message: string): boolean => proof.test(message) || /^evidence[(:]/i.test(message);

/** Whether a commit adds texts beside the program. */
export const isOfDocuments = (message: string): boolean =>
  isProof(message) || documents.test(message) || documents.test(message.replace(kindOfChange, '').trim());

const tests =
  /^tests?[(:]|^(?:add|cover|fix|updat|adjust|extend)\w* (?:[\w-]+ ){0,3}tests?(?=$|:| (?:to|for|of|in|that|which|with|against)\b)|^(?:test|cover)s? (?!mode|runner|suite)|\btests? (?:added|fixed|updated)$|^(?:\w+ ){0,3}tests?: /i;

/** Whether a commit or a title is about tests alone. */
export const isOfTests = (message: string): boolean =>
  tests.test(message) || tests.test(message.replace(kindOfChange, '').trim());

/** `fix(parser): nested arrays` → `Fix nested arrays`. Other kinds of changes are dropped: the words after them say enough. */
export function plainTitle(message: string): string {
  const [mark = '', kind = ''] = kindOfChange.exec(message) ?? [];
  const plain = message
    .slice(mark.length)
    .replace(/\s*\(#\d+\)$/, '')
    .replace(/\.$/, '')
    .trim();
  const isFix = /^(?:fix|bugfix|hotfix)$/i.test(kind) && !/^(?:[a-z]+(?:e|s|ed|ing)?\s)/.test(plain);
  return capital(isFix && /^[a-z]/.test(plain) ? `fix ${plain}` : plain);
}

/** A short title says too little without its scope: `ci(release): publish from trusted workflow` → `Publish from … (release)`. */
export function withScope(message: string): string {
  const title = plainTitle(message);
  const scope = /^\w+\(([\w-]{3,20})\)!?:/.exec(message)?.[1] ?? '';
  const isShort = title.split(/\s+/).length <= 4;
  return scope === '' || !isShort || title.toLowerCase().includes(scope.toLowerCase().replace(/s$/, ''))
    ? title
    : `${title} (${scope})`;
}
