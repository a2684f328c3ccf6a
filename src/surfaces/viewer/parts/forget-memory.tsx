import { useState } from 'preact/hooks';
import type { Forgotten } from '../answers.ts';
import { change, type Failure } from '../api.ts';
import { Trouble } from './answered.tsx';
import { Dialog } from './dialog.tsx';
import { WhatGoes } from './what-goes.tsx';

/** Asks once, and says what goes. */
export function ForgetMemory({ id, again }: { id: string; again: () => void }) {
  const [plan, setPlan] = useState<Forgotten>();
  const [failure, setFailure] = useState<Failure>();
  const close = () => setPlan(undefined);
  return (
    <>
      <button
        type="button"
        class="danger"
        onClick={() => void change('forget', { id, dryRun: true }).then(setPlan, setFailure)}
      >
        Forget…
      </button>
      {failure && <Trouble failure={failure} />}
      {plan && (
        <Dialog title="Forget this for good?" onClose={close}>
          <WhatGoes plan={plan} />
          <div class="actions">
            <button
              type="button"
              class="danger strong"
              onClick={() => {
                close();
                change('forget', { id, yes: true }).then(again, setFailure);
              }}
            >
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
