// Forgets one entry with its tool uses, so that a secret in an output can go without the whole session.
import type { ShownEntry } from '../answers.ts';
import { Forget } from './forget.tsx';
import { Icon } from './icon.tsx';

export function ForgetEntry({ entry: { id, agent } }: { entry: ShownEntry }) {
  return (
    <Forget
      id={id}
      agent={agent}
      title="Forget this entry for good?"
      look="copy quiet"
      label="Forget this entry and what its tools did…"
    >
      <Icon name="forget" />
    </Forget>
  );
}
