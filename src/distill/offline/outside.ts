// Names of things outside of a project: services, protocols, tools, packages and programs.

/** Protocols, services, tools and platforms, which stay as they are when a project mends its own code. */
const known =
  /(?<![\w./-])(?:git(?: [a-z-]+)?|GitHub|GitLab|Bitbucket|npm|npx|pnpm|yarn|pip|uv|cargo|Docker|Podman|Kubernetes|Node(?:\.js)?|Deno|Bun|Python|TypeScript|Next\.js|Vite|Vitest|Jest|pytest|Playwright|Chrome|Chromium|Firefox|Safari|Linux|macOS|Windows|PostgreSQL|Postgres|SQLite|MySQL|Redis|AWS|S3|Vercel|Netlify|Cloudflare|OpenAI|Anthropic|Claude(?: Code)?|Gemini|Codex|HTTPS?|SSH|TLS|TCP|DNS|OAuth|POSIX|bash|zsh)(?![\w/-]|\.\w)/;
/** A package with its owner, or the name of a program in kebab case. `read-only` and the like are plain words. */
const named =
  /@[\w-]+\/[\w.-]+|\bgithub\.com\/[\w-]+|(?<![\w./-])(?!(?:non|re|pre|post|un|self|multi|two|one|read|write|so|in|on|up|long|short|well|high|low|full|end|real|built|cross|auto|client|server|user|run|compile|type|case|off|out|opt|top|per|sub|co|de|by|set|back|front|first|last|old|new|third)-)[a-z]\w+(?:-[a-z]\w*)+(?![\w./-])/;

/** Things of their kind that a project uses and does not change. */
const kinds = /\b(?:upstream|librar(?:y|ies)|protocol|compiler|linter)\b/i;

/** Whether a text names something outside of the project. */
export const isOutside = (text: string): boolean => isWellKnown(text) || named.test(text);

/** The same without names that may as well be adjectives, such as `nil-pointer`. */
export const isWellKnown = (text: string): boolean => known.test(text) || kinds.test(text);

const everyKnown = new RegExp(known.source, 'g');

/** The known names in a text, each once. */
export const outsideIn = (text: string): string[] => [...new Set(text.match(everyKnown) ?? [])];
