// Forgets something for good. Asks once, and says exactly what goes and what Holdfast cannot reach.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Forgotten } from '../answers.ts';
import { change, type Failure } from '../api.ts';
import { Trouble } from './answered.tsx';
import { Dialog } from './dialog.tsx';
import { WhatGoes } from './what-goes.tsx';

export function Forget({
  id,
  use,
  agent,
  title,
  look = 'danger',
  label,
  done,
  children,
}: {
  id: string;
  /** Only this tool use of the entry. */
  use?: string;
  agent?: string;
  title: string;
  /** The classes of the button. */
  look?: string;
  /** The name of the button, if it shows only an icon. */
  label?: string;
  done?: () => void;
  children: ComponentChildren;
}) {
  const [plan, setPlan] = useState<Forgotten>();
  const [failure, setFailure] = useState<Failure>();
  const item = { id, ...(use === undefined ? {} : { use }), ...(agent === undefined ? {} : { agent }) };
  const close = () => setPlan(undefined);
  const ask = () => {
    setFailure(undefined);
    change('forget', { ...item, dryRun: true }).then(setPlan, setFailure);
  };
  const forget = () => {
    close();
    change('forget', { ...item, yes: true }).then(() => done?.(), setFailure);
  };
  return (
    <>
      <button type="button" class={look} aria-label={label} title={label} onClick={ask}>
        {children}
      </button>
      {failure && <Trouble failure={failure} />}
      {plan && (
        <Dialog title={title} onClose={close}>
          <WhatGoes plan={plan} />
          <div class="actions">
            <button type="button" class="danger strong" onClick={forget}>
              Forget it
            </button>
            <button type="button" onClick={close}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
