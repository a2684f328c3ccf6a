// A copy of a session for another person. The worker redacts it again, and the browser saves it.
import { useState } from 'preact/hooks';
import type { Session } from '../answers.ts';
import { change, type Failure } from '../api.ts';
import { Trouble } from './answered.tsx';
import { Dialog } from './dialog.tsx';

const formats = [
  ['html', 'A web page in one file', 'text/html'],
  ['md', 'Markdown', 'text/markdown'],
  ['json', 'JSON', 'application/json'],
] as const;

export function Share({ session, onClose }: { session: Session; onClose: () => void }) {
  const [format, setFormat] = useState<(typeof formats)[number]>(formats[0]);
  const [tools, setTools] = useState(true);
  const [failure, setFailure] = useState<Failure>();
  const save = async () => {
    const { id, agent } = session;
    try {
      const { text = '' } = await change('archive', {
        id,
        agent,
        format: format[0],
        output: '-',
        withoutTools: !tools,
      });
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([text], { type: format[2] }));
      link.download = `${nameOf(session)}.${format[0]}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      onClose();
    } catch (error) {
      setFailure(error as Failure);
    }
  };
  return (
    <Dialog title="A copy to share" onClose={onClose}>
      <p>Holdfast removes the secrets that it recognises once more. Read the copy before you share it.</p>
      <fieldset>
        <legend>Format</legend>
        {formats.map((one) => (
          <label key={one[0]} class="check">
            <input type="radio" name="format" checked={one === format} onChange={() => setFormat(one)} /> {one[1]}
          </label>
        ))}
      </fieldset>
      <label class="check">
        <input type="checkbox" checked={tools} onChange={(event) => setTools(event.currentTarget.checked)} />
        With commands, edits and outputs
      </label>
      {failure && <Trouble failure={failure} />}
      <div class="actions">
        <button type="button" class="strong" onClick={() => void save()}>
          Save
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

const nameOf = ({ title, endedAt }: Session): string => {
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return `${endedAt.slice(0, 10)}-${Array.from(words).slice(0, 50).join('') || 'session'}`;
};
