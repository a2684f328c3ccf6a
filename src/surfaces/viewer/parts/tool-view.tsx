import { useMemo, useState } from 'preact/hooks';
import { type Deed, deedOf, exitCodeIn, fieldsOf, pathFrom } from '../../../schema/deed.ts';
import { differenceOf, sizeOf } from '../../../schema/line-difference.ts';
import { withoutControls } from '../../../schema/plain-text.ts';
import type { ToolUse } from '../../../schema/tool-use.ts';
import { Trouble } from './answered.tsx';
import { CopyButton } from './copy-button.tsx';
import { Diff, DiffSize } from './diff.tsx';
import { ForgetUse } from './forget-entry.tsx';
import { Pictures, useOriginal } from './pictures.tsx';

type Lines = ReturnType<typeof differenceOf>;

/** Remembers what the person opened or closed, for when it scrolls out of sight and back. */
const toggled = new Map<string, boolean>();

/** Edits up to this many lines are shown unfolded. */
const shortEdit = 10;

/** Folded: the tool and its target. Unfolded: the command and its output, the patch, or input and output. */
export function ToolView({
  use,
  folder,
  forgettable,
}: {
  use: ToolUse;
  folder: string;
  /** Offers to forget the use. */
  forgettable: boolean;
}) {
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
      {isOpen && forgettable && <ForgetUse use={use} />}
    </details>
  );
}

function Outcome({ use }: { use: ToolUse }) {
  if (use.outcome !== 'error') return use.outcome === undefined ? <span class="dim">no result</span> : null;
  const code = exitCodeIn(use.output);
  return <span class="tool-failed">{code === undefined ? 'failed' : `exit ${code}`}</span>;
}

/** If the store has cut a text, or a tool returned a picture, the transcript has more. */
export const isCut = ({ input, output = '' }: ToolUse): boolean => cutMark.test(input) || cutMark.test(output);
const cutMark = /… \[\d+ characters left out\] …/;
const mayBePicture = ({ tool, files, outcome, output = '' }: ToolUse): boolean =>
  outcome === 'ok' &&
  output.trim() === '' &&
  (/screenshot/i.test(tool) || files.some((file) => /\.(?:png|jpe?g|gif|webp)$/i.test(file)));

function Inside({ use: stored, deed: ofStored, lines }: { use: ToolUse; deed: Deed; lines: Lines }) {
  const { original, failure, ask } = useOriginal({ id: stored.entry }, stored.id);
  const use = original === undefined ? stored : { ...stored, ...textsOf(original) };
  const deed = original === undefined ? ofStored : deedOf(use);
  return (
    <>
      {deed.kind === 'edit' ? (
        <>
          <Diff
            lines={original === undefined ? lines : differenceOf(deed.changes)}
            label={`Changes to ${deed.file}`}
            file={deed.file}
          />
          {use.outcome === 'error' && <Part title="Output" text={use.output ?? ''} />}
        </>
      ) : (
        <>
          <Part
            title={deed.kind === 'command' ? (deed.about ?? 'Command') : 'Input'}
            text={deed.kind === 'command' ? deed.command : pretty(use.input)}
          />
          {use.output !== undefined && <Part title="Output" text={use.output} />}
        </>
      )}
      {original && original.pictures.length > 0 && <Pictures pictures={original.pictures} />}
      {original && original.left > 0 && (
        <p class="dim">{original.left.toLocaleString()} more characters are left out.</p>
      )}
      {original === undefined && (isCut(stored) || mayBePicture(stored)) && (
        <button type="button" class="show-all" onClick={ask}>
          {isCut(stored) ? 'Show all of it' : 'Show the picture'}
        </button>
      )}
      {failure && <Trouble failure={failure} />}
    </>
  );
}

export const textsOf = ({ input, output }: { input?: string | undefined; output?: string | undefined }) => ({
  ...(input === undefined ? {} : { input }),
  ...(output === undefined ? {} : { output }),
});

function Part({ title, text }: { title: string; text: string }) {
  if (text.trim() === '') return null;
  return (
    <figure>
      <figcaption>
        {title} <CopyButton text={text} label={`Copy: ${title}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{withoutControls(text)}</pre>
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

/** Shortens a long path in the middle, and keeps its end. */
const shortPath = (path: string): string =>
  path.length > longestPath && path.includes('/') ? `${path.slice(0, 15)}…${path.slice(16 - longestPath)}` : path;

function pretty(input: string): string {
  const fields = fieldsOf(input);
  if (fields === undefined) return input;
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
    .join('\n');
}
