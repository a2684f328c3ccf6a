import { useState } from 'preact/hooks';
import { change, type Failure } from '../api.ts';
import { address } from '../router.ts';
import { Trouble } from './answered.tsx';

/** One statement for good, said by the person. */
export function Remember() {
  const [text, setText] = useState('');
  const [key, setKey] = useState('');
  const [kept, setKept] = useState<{ page: string; known: boolean }>();
  const [failure, setFailure] = useState<Failure>();
  const submit = (event: Event) => {
    event.preventDefault();
    setFailure(undefined);
    change('remember', { text: text.trim(), ...(key.trim() === '' ? {} : { key: key.trim() }) }).then(
      ({ memory, known }) => {
        setKept({ page: memory.page, known });
        setText('');
        setKey('');
      },
      setFailure,
    );
  };
  return (
    <form class="remember" onSubmit={submit}>
      <label>
        <span>Remember</span>
        <input
          value={text}
          maxLength={2000}
          placeholder="Deploys happen on Tuesdays"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <label>
        <span>About</span>
        <input
          value={key}
          maxLength={80}
          placeholder="deploy day"
          onInput={(event) => setKey(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="strong" disabled={text.trim() === ''}>
        Remember
      </button>
      <p class="dim" role="status">
        {kept && (
          <>
            {kept.known ? 'It was remembered before, on ' : 'Remembered, on '}
            <a href={address('memoryPage', { page: kept.page })}>{kept.page}</a>
          </>
        )}
      </p>
      {failure && <Trouble failure={failure} />}
    </form>
  );
}
