// Health checks, distilling jobs and settings.
import { Checks } from '../parts/checks.tsx';
import { Jobs } from '../parts/jobs.tsx';
import { SettingsTable } from '../parts/settings-table.tsx';

export function Health() {
  return (
    <section class="page health">
      <Checks />
      <Jobs />
      <SettingsTable />
    </section>
  );
}
