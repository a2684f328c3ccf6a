import { expect, it } from 'vitest';
import { explain } from './errors.ts';

it('distinguishes a system out of watches from a disk out of space', () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
  const watches = Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'watch' });
  expect(explain(full, 'x').code).toBe('DISK_FULL');
  expect(explain(watches, 'x')).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('watched folders'),
  });
});
