// Which addresses are public: not this machine, not the network around it, nothing that only routers understand.
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

const special = new BlockList();
for (const [network, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
  ] as const),
  ...([
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
] as const)
  special.addSubnet(network, bits, 'ipv4');
/** Of IPv6 only the globally assigned range 2000::/3 counts, without tunnels and documentation addresses. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special.addSubnet(network, bits, 'ipv6');

/** Addresses of this machine, which may be public. */
const ownAddresses = (): Set<string> =>
  new Set(
    Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .map(({ address }) => address.replace(/%.*$/, '').toLowerCase()),
  );

export function isPublic(address: string, own: ReadonlySet<string> = ownAddresses()): boolean {
  const plain = address.replace(/%.*$/, '').toLowerCase();
  if (own.has(plain)) return false;
  if (isIPv4(plain)) return !special.check(plain, 'ipv4');
  // An IPv4-mapped address lies below ::/3, so it is not in this range.
  return isIPv6(plain) && global6.check(plain, 'ipv6') && !special.check(plain, 'ipv6');
}
