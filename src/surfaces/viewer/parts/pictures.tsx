import { useState } from 'preact/hooks';
import type { Reads } from '../answers.ts';
import { type Failure, read } from '../api.ts';
import { Trouble } from './answered.tsx';

type Original = Reads['sessions original'];

/** Pictures from the transcript, shown as images only, so that nothing in them can run. */
export const Pictures = ({ pictures }: Pick<Original, 'pictures'>) => (
  <div class="pictures">
    {pictures.map(({ type, data }, i) => (
      <img key={i} src={`data:${type};base64,${data}`} alt={`Shown in the session: ${i + 1} of ${pictures.length}`} />
    ))}
  </div>
);

/** Fetches data that only the transcript has, on request. */
export function useOriginal(entry: { readonly id: string; readonly agent?: string | undefined }, use?: string) {
  const [original, setOriginal] = useState<Original>();
  const [failure, setFailure] = useState<Failure>();
  const ask = () => {
    setFailure(undefined);
    read('sessions original', { id: entry.id, agent: entry.agent, use }).then(setOriginal, setFailure);
  };
  return { original, failure, ask };
}

/** The pictures of an entry, on request. */
export function EntryPictures({ entry }: { entry: { readonly id: string; readonly agent: string } }) {
  const { original, failure, ask } = useOriginal(entry);
  if (original !== undefined)
    return original.pictures.length === 0 ? (
      <p class="dim">The transcript has no picture here.</p>
    ) : (
      <Pictures pictures={original.pictures} />
    );
  return (
    <>
      <button type="button" onClick={ask}>
        Show pictures
      </button>
      {failure && <Trouble failure={failure} />}
    </>
  );
}
