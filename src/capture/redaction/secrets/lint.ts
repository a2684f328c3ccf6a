// The rules of secretlint's recommended preset, as functions of a text.
import { createRequire } from 'node:module';
import type { Span } from './span.ts';

/** The part of secretlint's rule interface that we use: a rule examines a text and reports. */
interface LintRule {
  readonly meta: { readonly id: string };
  create(
    context: {
      createTranslator(): (messageId: string, data?: Readonly<Record<string, string>>) => Message;
      report(found: { readonly message: Message; readonly range: readonly [number, number] }): void;
      ignore(): void;
    },
    options: object,
  ): { file(source: { readonly content: string; readonly ext: string; readonly filePath: undefined }): unknown };
}

interface Message {
  readonly data: Readonly<Record<string, string>>;
}

/** Names of secretlint's rules in our marks. A rule without an entry gets the name of its package. */
const lintNames: Readonly<Record<string, string>> = {
  aws: 'AWS secret key',
  privatekey: 'private key',
  npm: 'npm token',
  basicauth: 'password',
  slack: 'Slack token',
  sendgrid: 'SendGrid key',
  shopify: 'Shopify token',
  github: 'GitHub token',
  openai: 'OpenAI key',
  anthropic: 'Anthropic key',
  linear: 'Linear key',
  '1password': '1Password token',
  'database-connection-string': 'database password',
};

/**
 * `filter-comments` would let a comment in the text switch the rules off. `gcp` only examines whole files. We find addresses ourselves,
 * because the last two would also redact the password of an example.
 */
const unused = ['filter-comments', 'gcp', 'basicauth', 'database-connection-string'];

interface NamedRule {
  readonly rule: LintRule;
  readonly kind: string;
}

let loaded: readonly NamedRule[] | undefined;

/**
 * Loads the package when a text first needs it. An import, even one inside this module, would run at the start of every bundled
 * command. `require` loads ES modules in every Node version that we support, and a rule must answer synchronously.
 */
function lintRules(): readonly NamedRule[] {
  if (loaded === undefined) {
    const { rules } = createRequire(import.meta.url)('@secretlint/secretlint-rule-preset-recommend') as {
      rules: readonly LintRule[];
    };
    loaded = rules
      .map((rule) => ({ rule, kind: rule.meta.id.replace(/^.*secretlint-rule-/, '') }))
      .filter(({ kind }) => !unused.includes(kind));
  }
  return loaded;
}

/**
 * Does not use secretlint's core, which is made for files: it is asynchronous, computes lines and columns, and compares every finding
 * with every other. A rule itself is a synchronous function of a text.
 */
export function findByLint(content: string): Span[] {
  const spans: Span[] = [];
  for (const { rule, kind } of lintRules()) {
    const context = {
      createTranslator: () => (_: string, data?: Readonly<Record<string, string>>) => ({ data: data ?? {} }),
      report({ message: { data }, range }: { readonly message: Message; readonly range: readonly [number, number] }) {
        // The range is not always that of the secret. The message quotes the secret, which is at the range's start or soon after.
        const secret = Object.values(data).reduce((longest, one) => (one.length > longest.length ? one : longest), '');
        const at = content.indexOf(secret, range[0]);
        const [from, to] = secret === '' || at < 0 ? range : [at, at + secret.length];
        spans.push({ name: lintNames[kind] ?? kind, from, to });
      },
      ignore: () => {},
    };
    rule.create(context, {}).file({ content, ext: '', filePath: undefined });
  }
  return spans;
}
