import { describe, expect, it } from 'vitest';
import { connectTo, explainHub } from './connect.ts';
import { readAddress } from './url.ts';

const address = readAddress('postgres://anna:topsecret@127.0.0.1/holdfast');
const raised = (code: string, message: string) => explainHub(Object.assign(new Error(message), { code }), address);

describe('what the functions of a hub refuse', () => {
  it.each([
    ['ZH001', 'NO_PERMISSION', 'does not accept this machine'],
    ['ZH002', 'NO_PERMISSION', 'was used already'],
    ['ZH003', 'CONFLICT', 'has this name'],
    ['ZH004', 'STORE_BUSY', 'Another process of this machine'],
  ])('is recognised by the state %s, whatever the text says', (state, code, says) => {
    expect(raised(state, 'in any words')).toMatchObject({ code, message: expect.stringContaining(says) });
  });

  it.each([
    ['holdfast: not a member', 'NO_PERMISSION'],
    ['holdfast: no such code', 'NO_PERMISSION'],
    ['holdfast: machine exists', 'CONFLICT'],
    ['holdfast: another push came between', 'STORE_BUSY'],
  ])('is recognised by the text “%s” if the functions of the hub are older', (text, code) => {
    expect(raised('P0001', text).code).toBe(code);
  });

  it('is not confused with an error of the server that has the same text, nor with an exception that we do not know', () => {
    expect(raised('42501', 'holdfast: machine exists').message).toContain('does not allow this to anna');
    expect(raised('P0001', 'holdfast: something new').code).toBe('INTERNAL');
  });
});

describe('what a server refuses', () => {
  it.each([
    ['25006', 'cannot execute UPDATE in a read-only transaction', 'UNREACHABLE', 'accepts no changes at the moment'],
    ['40P01', 'deadlock detected', 'STORE_BUSY', 'is busy'],
    ['53100', 'could not extend file', 'DISK_FULL', 'no space left'],
    ['53300', 'too many connections', 'UNREACHABLE', 'broke off the connection'],
    ['57P01', 'terminating connection due to administrator command', 'UNREACHABLE', 'broke off the connection'],
  ])('with the state %s is no bug of ours, and the worker tries again', (state, text, code, says) => {
    const { hint, ...refused } = raised(state, text);
    expect([refused.code, hint]).toEqual([code, expect.stringContaining('nothing is lost: the worker tries again')]);
    expect(raised(state, text).message).toContain(says);
  });
});

it('says to check an address that does not answer, and promises no later attempt', async () => {
  const closed = readAddress('postgres://anna:topsecret@127.0.0.1:1/holdfast');
  await expect(connectTo(closed)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    hint: 'Check host and port in the address, and whether the server runs. Nothing was changed.',
  });
});
