import { useState } from 'preact/hooks';
import { change, type Failure } from '../api.ts';
import { address } from '../router.ts';
import { Trouble } from './answered.tsx';

/** Lets the person add one statement to memory. */
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
      <Words label="Remember" example="Deploys happen on Tuesdays" longest={2000} value={text} onInput={setText} />
      <Words label="About" example="deploy day" longest={80} value={key} onInput={setKey} />
      <button type="submit" class="strong" disabled={text.trim() === ''}>
        Remember
      </button>
      <p class="dim" role="status">
        {kept && (
          <>
            {kept.known ? 'It was remembered already, on ' : 'Remembered, on '}
            <a href={address('memoryPage', { page: kept.page })}>{kept.page}</a>
          </>
        )}
      </p>
      {failure && <Trouble failure={failure} />}
    </form>
  );
}

function Words({
  label,
  example,
  longest,
  value,
  onInput,
}: {
  label: string;
  example: string;
  longest: number;
  value: string;
  onInput: (text: string) => void;
}) {
  return (
    <label>
      <span>{label}</span>
      <input
        value={value}
        maxLength={longest}
        placeholder={example}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
