import { useMemo, useState } from 'preact/hooks';
import { type Deed, deedOf, exitCodeIn, fieldsOf, pathFrom } from '../../../schema/deed.ts';
import { differenceOf, sizeOf } from '../../../schema/line-difference.ts';
import type { ToolUse } from '../../../schema/tool-use.ts';
import { CopyButton } from './copy-button.tsx';
import { Diff, DiffSize } from './diff.tsx';

/** What a person has opened or closed stays so when it scrolls out of sight and back. */
const toggled = new Map<string, boolean>();

/** A short edit says more than its name. */
const shortEdit = 10;

/** Folded: the tool and what it was used on. Unfolded: the command and its output, the patch, or what it got and gave. */
export function ToolView({ use, folder }: { use: ToolUse; folder: string }) {
  const deed = useMemo(() => deedOf(use), [use]);
  const lines = useMemo(() => (deed.kind === 'edit' ? differenceOf(deed.changes) : []), [deed]);
  const isShort = deed.kind === 'edit' && lines.length <= shortEdit && use.outcome !== 'error';
  const [isOpen, setOpen] = useState(toggled.get(use.id) ?? isShort);
  return (
    <details
      class={`tool ${deed.kind}${use.outcome === 'error' ? ' failed' : ''}`}
      open={isOpen}
      onToggle={(event) => {
        const { open } = event.currentTarget;
        if (open === isOpen) return;
        toggled.set(use.id, open);
        setOpen(open);
      }}
    >
      <summary>
        {deed.kind !== 'command' && <span class="tool-name">{use.tool}</span>}
        <span class="tool-gist" title={gistOf(deed)}>
          {deed.kind === 'command' && <span class="unseen">{use.tool}: </span>}
          {shown(deed, folder)}
        </span>
        {deed.kind === 'edit' && <DiffSize {...sizeOf(lines)} />}
        <Outcome use={use} />
      </summary>
      {isOpen && <Inside use={use} deed={deed} lines={lines} />}
    </details>
  );
}

function Outcome({ use }: { use: ToolUse }) {
  if (use.outcome !== 'error') return use.outcome === undefined ? <span class="dim">no result</span> : null;
  const code = exitCodeIn(use.output);
  return <span class="tool-failed">{code === undefined ? 'failed' : `exit ${code}`}</span>;
}

function Inside({ use, deed, lines }: { use: ToolUse; deed: Deed; lines: ReturnType<typeof differenceOf> }) {
  if (deed.kind === 'edit')
    return (
      <>
        <Diff lines={lines} label={`Changes to ${deed.file}`} file={deed.file} />
        {use.outcome === 'error' && <Part title="Output" text={use.output ?? ''} />}
      </>
    );
  return (
    <>
      <Part
        title={deed.kind === 'command' ? (deed.about ?? 'Command') : 'Input'}
        text={deed.kind === 'command' ? deed.command : pretty(use.input)}
      />
      {use.output !== undefined && <Part title="Output" text={use.output} />}
    </>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  if (text.trim() === '') return null;
  return (
    <figure>
      <figcaption>
        {title} <CopyButton text={text} label={`Copy: ${title}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}

const gistOf = (deed: Deed): string =>
  deed.kind === 'command' ? deed.command : deed.kind === 'edit' ? deed.file : deed.gist;

function shown(deed: Deed, folder: string): string {
  if (deed.kind === 'command') return `$ ${deed.command.split('\n')[0] ?? ''}`;
  return shortPath(pathFrom(folder, gistOf(deed)));
}

const longestPath = 70;

/** The telling end of a path stays in sight. */
const shortPath = (path: string): string =>
  path.length > longestPath && path.includes('/') ? `${path.slice(0, 15)}…${path.slice(16 - longestPath)}` : path;

function pretty(input: string): string {
  const fields = fieldsOf(input);
  if (fields === undefined) return input;
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
    .join('\n');
}
