// Tools and libraries by their use in a project. The use is the key of a statement, so a newer statement replaces an older one.

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
