// Tools and libraries by what a project uses them for: the key under which a statement about them replaces an older one.

const table: Readonly<Record<string, string>> = {
  'package manager': 'npm pnpm yarn bun uv poetry pip pipenv conda cargo bundler composer maven gradle nuget',
  database:
    'postgres postgresql sqlite mysql mariadb mongodb mongo redis dynamodb cockroachdb duckdb supabase firestore',
  'test framework': 'vitest jest pytest mocha ava rspec phpunit junit playwright cypress unittest',
  linter: 'eslint biome ruff flake8 pylint golangci-lint clippy rubocop oxlint',
  formatter: 'prettier black gofmt rustfmt',
  'type checker': 'mypy pyright tsc',
  bundler: 'vite webpack rollup rolldown esbuild parcel turbopack',
  'web framework': 'django flask fastapi express fastify hono rails laravel spring next.js nuxt remix sveltekit astro',
  'ui framework': 'react vue svelte angular solid preact htmx',
  styling: 'tailwind bootstrap sass styled-components',
  'container runtime': 'docker podman apple-container',
  hosting: 'vercel netlify heroku fly.io cloudflare aws gcp azure railway',
  ci: 'github-actions gitlab-ci circleci jenkins buildkite',
  orm: 'prisma drizzle sqlalchemy typeorm sequelize',
  'agent framework': 'langgraph langchain voltagent agenite crewai autogen',
  'version control host': 'github gitlab bitbucket',
};

const keys = new Map(
  Object.entries(table).flatMap(([key, names]) => names.split(' ').map((name) => [name, key] as const)),
);

const spellings: readonly (readonly [RegExp, string])[] = [
  [/\bapple container\b/gi, 'apple-container'],
  [/\bgithub actions?\b/gi, 'github-actions'],
  [/\bgitlab ci\b/gi, 'gitlab-ci'],
  [/\bstyled components\b/gi, 'styled-components'],
];

/** The first known tool in a text, and what it is used for. */
export function toolIn(text: string): { tool: string; key: string } | undefined {
  const plain = spellings.reduce((out, [pattern, name]) => out.replace(pattern, name), text).toLowerCase();
  for (const [word] of plain.matchAll(/[a-z][a-z0-9.-]*[a-z0-9]/g)) {
    const key = keys.get(word);
    if (key !== undefined) return { tool: word.replace('-', ' '), key };
  }
  return undefined;
}

const languages: Readonly<Record<string, string>> = {
  ts: 'TypeScript',
  tsx: 'TypeScript',
  js: 'JavaScript',
  jsx: 'JavaScript',
  mjs: 'JavaScript',
  py: 'Python',
  rs: 'Rust',
  go: 'Go',
  rb: 'Ruby',
  java: 'Java',
  kt: 'Kotlin',
  swift: 'Swift',
  cs: 'C#',
  cpp: 'C++',
  cc: 'C++',
  c: 'C',
  php: 'PHP',
  ex: 'Elixir',
  exs: 'Elixir',
  scala: 'Scala',
  zig: 'Zig',
  lua: 'Lua',
};

/** The language of most files, if there are a few and most are in one. */
export function languageOf(files: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const file of files) {
    const language = languages[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''];
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return best !== undefined && best[1] >= 3 && best[1] > total * 0.7 ? best[0] : undefined;
}

const managers: readonly (readonly [string, RegExp])[] = [
  ['pnpm', /^pnpm\b/],
  ['yarn', /^yarn\b/],
  ['bun', /^bunx?\b/],
  ['npm', /^np[mx]\b/],
  ['uv', /^uvx?\b/],
  ['poetry', /^poetry\b/],
  ['pip', /^pip3?\b/],
  ['cargo', /^cargo\b/],
  ['bundler', /^bundle\b/],
  ['go modules', /^go (?:get|mod)\b/],
];

/** The package manager of the commands that went well, if there are a few and all speak of one. */
export function managerOf(commands: readonly string[]): string | undefined {
  const used = commands.flatMap((told) => managers.filter(([, pattern]) => pattern.test(told)).map(([name]) => name));
  const names = new Set(used);
  return names.size === 1 && used.length >= 2 ? used[0] : undefined;
}
