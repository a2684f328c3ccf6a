// Every setting, its value and its source. Settings that name a program, a folder or an address can be changed at the terminal only.
import { useId, useState } from 'preact/hooks';
import type { Clock } from '../../../schema/clock.ts';
import { useAnswer } from '../answer.ts';
import type { SettingValue } from '../answers.ts';
import { change, type Failure, read } from '../api.ts';
import { here, setQuery } from '../router.ts';
import { setClock } from '../time.ts';
import { Answered, Trouble } from './answered.tsx';

export function SettingsTable() {
  const answer = useAnswer('settings', (signal) => read('config list', {}, signal));
  const words = here.value.searchParams.get('setting') ?? '';
  return (
    <>
      <h2 id="settings">Settings</h2>
      <Answered answer={answer} rows={10}>
        {({ file, settings }) => {
          const found = settings.filter(({ key, description }) =>
            `${key} ${description}`.toLowerCase().includes(words.toLowerCase()),
          );
          return (
            <>
              <p class="dim">
                They are stored in <span class="path">{file}</span>. A change takes effect at once unless its
                description says otherwise. To restart the worker:{' '}
                <code>holdfast worker stop && holdfast worker start</code>
              </p>
              <label class="field find-setting">
                <span>Find a setting</span>
                <input
                  type="search"
                  value={words}
                  onInput={(event) => setQuery({ setting: event.currentTarget.value })}
                />
              </label>
              {found.length === 0 && <p>No setting matches.</p>}
              <List settings={found.filter((one) => !isFixed(one))} changed={answer.again} />
              {found.some(isFixed) && (
                <details class="as-table" open={words !== ''}>
                  <summary>Set at the terminal or by the environment</summary>
                  <List settings={found.filter(isFixed)} changed={answer.again} />
                </details>
              )}
            </>
          );
        }}
      </Answered>
    </>
  );
}

const isFixed = ({ atTerminal, origin }: SettingValue): boolean => atTerminal || origin === 'environment';

const List = ({ settings, changed }: { settings: readonly SettingValue[]; changed: () => void }) => (
  <ul class="settings">
    {settings.map((setting) => (
      <Setting key={setting.key} setting={setting} changed={changed} />
    ))}
  </ul>
);

const textOf = (value: SettingValue['value']): string =>
  Array.isArray(value) ? value.join(', ') : String(value ?? '');
const origins = { default: 'default', file: 'set', environment: 'by the environment' } as const;

function Setting({ setting, changed }: { setting: SettingValue; changed: () => void }) {
  const { key, value, origin, variable, description, atTerminal, atStart } = setting;
  const id = useId();
  const current = textOf(value);
  const [text, setText] = useState<string>();
  const [failure, setFailure] = useState<Failure>();
  const [said, setSaid] = useState('');
  const attempt = (work: Promise<SettingValue>) => {
    setFailure(undefined);
    setSaid('');
    work.then((now) => {
      setText(undefined);
      setSaid(`Now ${textOf(now.value) || 'empty'}${atStart ? ', from the next start of the worker' : ''}`);
      if (key === 'clock') setClock(now.value as Clock);
      changed();
    }, setFailure);
  };
  const fixed = isFixed(setting);
  return (
    <li>
      <div class="setting-what">
        <label for={id}>{key}</label>
        <p class="dim" id={`${id}-about`}>
          {description}
          {atStart && <span class="at-start"> · from the next start of the worker</span>}
        </p>
      </div>
      <form
        class="setting-value"
        onSubmit={(event) => {
          event.preventDefault();
          attempt(change('config set', { key, value: text ?? current }));
        }}
      >
        {fixed ? (
          <output id={id}>{current === '' ? <span class="dim">not set</span> : current}</output>
        ) : (
          <Input id={id} setting={setting} text={text ?? current} onText={setText} />
        )}
        {text !== undefined && text !== current && (
          <>
            <button type="submit" class="strong">
              Save
            </button>
            <button type="button" onClick={() => setText(undefined)}>
              Undo
            </button>
          </>
        )}
        <span class="dim setting-origin">
          {origin === 'environment' ? `by ${variable}` : atTerminal ? 'at the terminal: ' : origins[origin]}
          {atTerminal && origin !== 'environment' && <code>holdfast config set {key}</code>}
        </span>
        {!fixed && origin === 'file' && (
          <button
            type="button"
            class="quiet"
            aria-label={`${key}: back to the default`}
            onClick={() => attempt(change('config unset', { key }))}
          >
            Back to the default
          </button>
        )}
        <span class="dim" role="status">
          {said}
        </span>
      </form>
      {failure && <Trouble failure={failure} />}
    </li>
  );
}

function Input({
  id,
  setting: { kind, options },
  text,
  onText,
}: {
  id: string;
  setting: SettingValue;
  text: string;
  onText: (text: string) => void;
}) {
  const choices = kind === 'boolean' ? ['true', 'false'] : options;
  const about = `${id}-about`;
  if (choices !== undefined)
    return (
      <select id={id} aria-describedby={about} value={text} onChange={(event) => onText(event.currentTarget.value)}>
        {choices.map((one) => (
          <option key={one} value={one} selected={one === text}>
            {one}
          </option>
        ))}
      </select>
    );
  return (
    <input
      id={id}
      aria-describedby={about}
      type="text"
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}
