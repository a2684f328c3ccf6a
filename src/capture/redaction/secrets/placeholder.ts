// Values that only stand in for a secret: variables, templates, types, words that say "put yours here".

/** `$NAME`, `${…}`, `%NAME%`, `%s`, `{{…}}`, `<your key>`, `***`, or one of our marks. */
const template =
  /^(?:\$[A-Z_][A-Z0-9_]*$|\$[a-z_]+$|\$\{|\$\(|\$\{\{|#\{|\{|<|\[|\(|%[A-Z_]+%|%[({]?[a-z]|%$|@[A-Z_]+@)|\$\{|\{\{|<[a-zA-Z_ -]{2,40}>|\[redacted|REDACTED|^\\?$/;
/** One repeated letter, dots, stars; `abc…xyz`. */
const masked = /^(.)\1*$|\.\.\.|…|\*{3}|•{2}|[xX]{5}|^[-_.*#x]+$/;
const word =
  /^(?:true|false|null|nil|none|undefined|nan|string|str|number|boolean|bool|bytes|object|any|unknown|never|void|text|optional|required|secret|password|passwd|passphrase|pwd|token|key|apikey|api_key|value|default|empty|hidden|masked|redacted|todo|tbd|n\/a|env|process|yes|no|on|off|auto|test|testing|example|sample|demo|dummy|fake|mock|foo|bar|baz|foobar|changeme|change_me|changeit|xxx+)$/i;
/** Words that no secret contains, matched as whole words. */
const instruction =
  /(?:^|[^a-z])(?:your|insert|replace|changeme|change[-_ ]?(?:this|me|it)|placeholder|example|enter|put|goes|here|todo|dummy|fake|mock|sample|redacted|removed|scrubbed|hidden|masked|invalid|bogus)(?:[^a-z]|$)|^(?:my|the|some|a)(?:[-_ ][a-z]+)+[-_ ]?$|ENTER_|INSERT_|YOUR|_HERE|_GOES_/i;

/** Rules for the content of a field: `required|string|min:8`. */
const validation = /^(?:required|nullable|sometimes|present|filled|string|confirmed)\|/;

/** Contract: never throws; linear. */
export const isPlaceholder = (value: string): boolean =>
  template.test(value) ||
  validation.test(value) ||
  masked.test(value) ||
  word.test(value) ||
  (value.length <= 80 && instruction.test(value));

/** Code rather than a literal: a call, a member, an index, an arrow, an operator. */
const code =
  /[(){}]|=>|\?\.|&&|\|\||::|->|^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+[,;]?$|^[A-Za-z_$][\w$]*\[|^(?:process|os|self|this|env|config|ctx|args|opts|options|settings|request|req|res|data|params|props|state|user|module|import|require|await|new|new\b)\.|^[!&*]/;

export const looksLikeCode = (value: string): boolean => code.test(value);
