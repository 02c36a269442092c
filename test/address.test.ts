import { expect, it } from 'vitest';
import { networkOf, plainAddress } from '../src/base/address.ts';

it.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1', '192.0.2.1'],
  ['2001:DB8::1', '2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1:2:3:4', '2001:db8::1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80::1', 'fe80:0:0:0::/64'],
  ['::1', '::1', '0:0:0:0::/64'],
  ['unknown', undefined, 'unknown'],
  ['192.0.2.1:4711', undefined, 'unknown'],
  ['', undefined, 'unknown'],
  [undefined, undefined, 'unknown'],
])('reads %s as the address %s in the network %s', (text, address, network) => {
  expect([plainAddress(text), networkOf(text)]).toEqual([address, network]);
});
