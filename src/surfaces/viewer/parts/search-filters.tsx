// The filters of a search. Filters that exclude each other clear each other, so that no choice leads to an error.
import { agentTitles } from '../../../schema/agent-titles.ts';
import { isDerived } from '../../../schema/hit-text.ts';
import { hasTeam } from '../admission.ts';
import type { Project } from '../answers.ts';
import { asDay } from '../days.ts';
import { Field, kinds, outcomes, ProjectField, roles, TextField, times } from './filters.tsx';

/** The names of the filters in the address, which are also the operation's. */
export const filterNames = [
  'kind',
  'tool',
  'outcome',
  'project',
  'agent',
  'since',
  'until',
  'file',
  'role',
  'scope',
  'subagents',
] as const;
export type Filters = Readonly<Record<(typeof filterNames)[number], string | undefined>>;

export function filtersIn(query: URLSearchParams): Filters {
  const stated = filterNames.map((name) => [name, query.get(name) ?? undefined]);
  return { ...Object.fromEntries(stated), kind: query.get('kind') ?? 'entry' } as Filters;
}

const ofTools = { tool: '', outcome: '' };
const usesTools = new Set(['command', 'edit', 'error']);
const subagentsToo = [
  ['', 'included'],
  ['false', 'left out'],
] as const;
const scopes = [
  ['', 'this machine'],
  ['team', 'also the team'],
] as const;

export function SearchFilters({
  filters,
  narrow,
  projects,
}: {
  filters: Filters;
  narrow: (query: Readonly<Record<string, string>>) => void;
  projects: readonly Project[] | undefined;
}) {
  const { kind = 'entry', tool, file, role, since, until, subagents } = filters;
  const isMore =
    [tool, file, role, until, subagents].some((value) => value !== undefined) || asDay(since ?? null) !== undefined;
  const chooseKind = (next: string) => {
    const byFile = next === 'memory' || next === 'conversation' || usesTools.has(next);
    narrow({
      kind: next,
      ...(isDerived(next) ? { ...ofTools, role: '' } : {}),
      ...(byFile ? { file: '' } : {}),
      ...(usesTools.has(next) ? { scope: '' } : {}),
    });
  };
  /** A search by file lists every tool that touched the file, so it clears the filters for tools. */
  const chooseFile = (next: string) =>
    narrow({
      file: next,
      ...(next === '' ? {} : { ...ofTools, scope: '' }),
      ...(next !== '' && usesTools.has(kind) ? { kind: '' } : {}),
    });
  const withoutFile = (query: Record<string, string>) =>
    narrow({ ...query, file: '', scope: '', ...(isDerived(kind) ? { kind: '' } : {}) });
  /** Only this machine can search files and tools, so a scope clears those filters. */
  const chooseScope = (next: string) =>
    narrow({
      scope: next,
      ...(next === '' ? {} : { ...ofTools, file: '', ...(usesTools.has(kind) ? { kind: '' } : {}) }),
    });
  return (
    <>
      <div class="filters">
        <Field label="What" value={kind} options={kinds} onChange={chooseKind} />
        <ProjectField projects={projects} value={filters.project} onChange={(project) => narrow({ project })} />
        <Field
          label="Agent"
          value={filters.agent ?? ''}
          options={[['', 'all agents'], ...Object.entries(agentTitles)]}
          onChange={(agent) => narrow({ agent })}
        />
        <Field
          label="Outcome"
          value={filters.outcome ?? ''}
          options={outcomes}
          onChange={(outcome) => withoutFile({ outcome })}
        />
        {(hasTeam.value || filters.scope !== undefined) && (
          <Field label="Where" value={filters.scope ?? ''} options={scopes} onChange={chooseScope} />
        )}
        <Field label="When" value={since ?? ''} options={times} onChange={(next) => narrow({ since: next })} />
      </div>
      <details class="more-filters" open={isMore}>
        <summary>More filters</summary>
        <div class="filters">
          <TextField label="File" value={file ?? ''} example="src/auth/jwt.ts" onChange={chooseFile} />
          <TextField label="Tool" value={tool ?? ''} example="Bash" onChange={(next) => withoutFile({ tool: next })} />
          <Field
            label="Said by"
            value={role ?? ''}
            options={roles}
            onChange={(next) => narrow({ role: next, ...(isDerived(kind) ? { kind: '' } : {}) })}
          />
          <Field
            label="Subagents"
            value={subagents ?? ''}
            options={subagentsToo}
            onChange={(next) => narrow({ subagents: next })}
          />
          <TextField
            label="From"
            type="date"
            value={asDay(since ?? null) ?? ''}
            onChange={(next) => narrow({ since: next })}
          />
          <TextField
            label="To"
            type="date"
            value={asDay(until ?? null) ?? ''}
            onChange={(next) => narrow({ until: next })}
          />
        </div>
      </details>
    </>
  );
}
