import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openStand } from '../../../test/http-stand.ts';
import { describeTaken, portHolder } from './port-holder.ts';

describe('a port that another program holds', () => {
  it('is reported with the process that holds it and what to do', async () => {
    const script =
      "require('net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })";
    const stranger = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = await once(stranger.stdout, 'data');
      const port = Number(String(line));
      expect(await portHolder(port)).toMatchObject({ pid: stranger.pid, command: expect.stringContaining('node') });
      await expect(openStand({ port })).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(`Port ${port} is held by process ${stranger.pid}`),
        hint: expect.stringContaining('holdfast config set port'),
      });
    } finally {
      stranger.kill();
    }
  });

  it('has no holder if it is free', async () => {
    expect(await portHolder(1)).toBeUndefined();
  });

  it('of another user is described as far as it is known', () => {
    expect(describeTaken(37_777, {}).message).toContain('another program');
  });
});
