// Forgets one entry with what its tools did: a secret in an output goes without the session.
import { useState } from 'preact/hooks';
import type { Forgotten, ShownEntry } from '../answers.ts';
import { change, type Failure } from '../api.ts';
import { Trouble } from './answered.tsx';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { WhatGoes } from './what-goes.tsx';

export function ForgetEntry({ entry }: { entry: ShownEntry }) {
  const { id, agent } = entry;
  const [plan, setPlan] = useState<Forgotten>();
  const [failure, setFailure] = useState<Failure>();
  const attempt = (work: () => Promise<void>) => {
    setFailure(undefined);
    work().catch(setFailure);
  };
  const label = 'Forget this entry and what its tools did…';
  return (
    <>
      <button
        type="button"
        class="copy quiet"
        aria-label={label}
        title={label}
        onClick={() => attempt(async () => setPlan(await change('forget', { id, agent, dryRun: true })))}
      >
        <Icon name="forget" />
      </button>
      {failure && <Trouble failure={failure} />}
      {plan && (
        <Dialog title="Forget this entry for good?" onClose={() => setPlan(undefined)}>
          <WhatGoes plan={plan} />
          <div class="actions">
            <button
              type="button"
              class="danger strong"
              onClick={() =>
                attempt(async () => {
                  setPlan(undefined);
                  await change('forget', { id, agent, yes: true });
                })
              }
            >
              Forget it
            </button>
            <button type="button" onClick={() => setPlan(undefined)}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
