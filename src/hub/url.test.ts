import { describe, expect, it } from 'vitest';
import { readAddress, writeAddress } from './url.ts';

const refused = (address: string): string => {
  try {
    readAddress(address);
  } catch (error) {
    const { message, hint, code } = error as { message: string; hint?: string; code?: string };
    return `${code}: ${message}. ${hint}`;
  }
  throw new Error(`${address} was accepted`);
};

describe('the address of a hub', () => {
  it.each([
    ['a bare percent sign in the password', 'postgres://anna:50%zz@db.example.com/holdfast', '%25'],
    ['a bare percent sign in the name', 'postgres://50%:pw@db.example.com/holdfast', '%25'],
    ['a # in the password', 'postgres://anna:top#zz@db.example.com/holdfast', '%23'],
    ['a / in the password', 'postgres://anna:1/zz@db.example.com/holdfast', '%2F'],
    ['a ? in the password', 'postgres://anna:1?zz@db.example.com/holdfast', '%3F'],
    ['a port that is none', 'postgres://anna:zz@db.example.com/holdfast?port=five', 'names no port'],
    ['the port 0', 'postgres://anna:zz@db.example.com:0/holdfast', 'names no port'],
    ['a port beyond all', 'postgres://anna:zz@db.example.com:99999/holdfast', 'is not a URL'],
  ])('with %s is refused with a way out, and shows no password', (_, address, says) => {
    const said = refused(address);
    expect(said).toMatch(/^BAD_INPUT: /);
    expect(said).toContain(says);
    expect(said).not.toContain('zz');
  });

  it('is the same after it was written for another role', () => {
    for (const address of [
      'postgres://anna:p%23w%2F%3F%40%25@db.example.com/holdfast',
      'postgres://anna:pw@[2001:db8::1]:5433/holdfast?sslrootcert=/etc/my%20ca.pem',
      'postgresql://anna:pw@db.example.com/hold%20fast?sslmode=require#code',
      'postgres://anna:pw@localhost/holdfast?host=/var/run/postgresql&port=5434',
      'postgres://anna:pw@localhost/holdfast?sslmode=verify-full',
    ]) {
      const read = readAddress(address);
      expect(readAddress(writeAddress(read, read, read.code)), address).toEqual(read);
    }
  });
});
