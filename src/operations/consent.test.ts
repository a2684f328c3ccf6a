// Destructive operations never run unasked, on any surface.
import { describe, expect, it } from 'vitest';
import { refuseUnasked } from './consent.ts';
import { operations } from './index.ts';

const destroying = operations.filter(({ destroys }) => destroys);

describe('an operation that destroys something', () => {
  it('is on this list, and has the field `yes`', () => {
    expect(destroying.map(({ name }) => name).sort()).toEqual([
      'forget',
      'groups remove',
      'hub forget',
      'hub leave',
      'hub revoke',
      'hub unshare',
      'memory forget',
      'sessions delete',
      'sessions purge',
    ]);
    for (const { name, input } of destroying) expect(Object.hasOwn(input.shape, 'yes'), name).toBe(true);
  });

  it('is not a tool for agents', () => {
    for (const { name, surfaces } of destroying) expect(surfaces, name).not.toContain('mcp');
  });

  it('is refused without a terminal, unless the call says yes or is a dry run', () => {
    for (const one of destroying) {
      expect(() => refuseUnasked(one, { id: 'a' }, 'add --yes')).toThrow(
        expect.objectContaining({ code: 'BAD_INPUT', hint: expect.stringContaining('--yes') }),
      );
      refuseUnasked(one, { yes: true }, 'add --yes');
      refuseUnasked(one, { dryRun: true }, 'add --yes');
    }
  });
});
