import { useId } from 'preact/hooks';
import type { Project } from '../answers.ts';

export type Option = readonly [value: string, label: string];

export const kinds: readonly Option[] = [
  ['entry', 'Messages'],
  ['command', 'commands'],
  ['edit', 'edits'],
  ['error', 'errors'],
  ['session', 'sessions'],
  ['conversation', 'conversations'],
  ['observation', 'observations'],
  ['summary', 'summaries'],
  ['memory', 'memories'],
];

export const outcomes: readonly Option[] = [
  ['', 'any outcome'],
  ['ok', 'tool succeeded'],
  ['error', 'tool failed'],
];

export const roles: readonly Option[] = [
  ['', 'both sides'],
  ['user', 'prompts'],
  ['assistant', 'answers'],
];

export const times: readonly Option[] = [
  ['', 'Any time'],
  ['today', 'today'],
  ['7d', 'in the last week'],
  ['30d', 'in the last month'],
  ['365d', 'in the last year'],
];

export function Field({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  // A value from the address applies even if it is not among the options.
  const all = options.some(([one]) => one === value) ? options : [...options, [value, value] as const];
  return (
    <label class="field" for={id}>
      <span>{label}</span>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {all.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A text field that applies when the person leaves it or presses Enter. */
export function TextField({
  label,
  value,
  example,
  type = 'text',
  onChange,
}: {
  label: string;
  value: string;
  example?: string;
  type?: 'text' | 'date';
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <label class="field" for={id}>
      <span>{label}</span>
      {type === 'date' ? (
        <input id={id} type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <input
          id={id}
          type="text"
          value={value}
          placeholder={example}
          spellcheck={false}
          onChange={(event) => onChange(event.currentTarget.value.trim())}
        />
      )}
    </label>
  );
}

export function ProjectField({
  projects,
  value,
  onChange,
}: {
  projects: readonly Project[] | undefined;
  value: string | undefined;
  onChange: (path: string) => void;
}) {
  return (
    <Field
      label="Project"
      value={value ?? ''}
      options={[['', 'all projects'], ...(projects ?? []).map(({ path, label }) => [path, label] as const)]}
      onChange={onChange}
    />
  );
}
