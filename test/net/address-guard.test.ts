import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { AddressGuard } from '../../src/net/address-guard.ts';
import { HttpError } from '../../src/net/http-error.ts';

const guard = new AddressGuard();

/** Returns what `net.connect` gets for a name that resolves to `answers`. */
function lookup(answers: string[], allowedNetworks: string[] = []): Promise<string[]> {
  const guard = new AddressGuard({ allowedNetworks, resolve: async () => answers });
  return new Promise((resolve, reject) => {
    guard.lookup('receiver.example', { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve((found as LookupAddress[]).map(({ address }) => address));
    });
  });
}

describe('URLs', () => {
  it.each([
    'https://receiver.example/hook?tenant=1',
    'http://receiver.example:8080',
    'https://93.184.216.34',
    'https://[2606:4700::1111]:8443/',
    'https://[64:ff9b::808:808]', // NAT64 of 8.8.8.8
  ])('allows %s', (url) => {
    expect(guard.checkUrl(url)).toBeUndefined();
  });

  it.each([
    ['not a URL', 'parsed'],
    ['ftp://receiver.example', 'http or https'],
    ['file:///etc/passwd', 'http or https'],
    ['https://user:password@receiver.example', 'credentials'],
    ['https://token@receiver.example', 'credentials'],
    ['http://receiver.example:25', 'Port 25'],
    ['http://receiver.example:6379', 'Port 6379'],
    ['http://receiver.example:0', 'Port 0'],
  ])('refuses %s', (url, reason) => {
    expect(guard.checkUrl(url)).toContain(reason);
  });

  it.each([
    'http://127.0.0.1',
    'http://127.0.0.1.',
    'http://127.1',
    'http://2130706433',
    'http://0x7f000001',
    'http://0x7f.1',
    'http://017700000001',
    'http://0177.0.0.01',
    'http://１２７.0.0.1',
    'http://①②⑦.0.0.1',
    'http://127。0。0。1',
    'http://%31%32%37.0.0.1',
    'http://0',
    'http://10.0.0.1',
    'http://172.16.0.1',
    'http://192.168.1.1',
    'http://100.64.0.1',
    'http://198.18.0.1',
    'http://224.0.0.1',
    'http://255.255.255.255',
    'http://[::]',
    'http://[::1]',
    'http://[::127.0.0.1]', // IPv4-compatible
    'http://[::ffff:127.0.0.1]', // IPv4-mapped
    'http://[::ffff:7f00:1]',
    'http://[0:0:0:0:0:ffff:127.0.0.1]',
    'http://[::ffff:0:127.0.0.1]', // IPv4-translated
    'http://[64:ff9b::127.0.0.1]', // NAT64
    'http://[64:ff9b:1::8.8.8.8]', // NAT64, local use
    'http://[2002:7f00:1::]', // 6to4
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]', // Teredo
    'http://[fc00::1]',
    'http://[fd12:3456::1]',
    'http://[fe80::1]',
    'http://[fec0::1]',
    'http://[ff02::1]',
    'http://[2001:db8::1]',
    'http://[4000::1]', // Not allocated
  ])('refuses the address in %s', (url) => {
    expect(guard.checkUrl(url)).toMatch(/is not public|never allowed/);
  });
});

describe('names', () => {
  it('returns every address if all are public', async () => {
    expect(await lookup(['93.184.216.34', '2606:4700::1111'])).toEqual(['93.184.216.34', '2606:4700::1111']);
  });

  it('refuses all addresses if one is not public', async () => {
    await expect(lookup(['93.184.216.34', '127.0.0.1'])).rejects.toMatchObject({ reason: 'blocked' });
    await expect(lookup(['2606:4700::1111', '::ffff:10.0.0.1'])).rejects.toMatchObject({ reason: 'blocked' });
  });

  it('resolves and checks names again for every connection', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    const guard = new AddressGuard({ resolve: async () => answers.shift() ?? [] });
    const connect = () =>
      new Promise((resolve) => guard.lookup('rebind.example', {}, (error, address) => resolve(error ?? address)));
    expect(await connect()).toBe('93.184.216.34');
    expect(await connect()).toMatchObject({ reason: 'blocked' });
    expect(await connect()).toMatchObject({ reason: 'dns' });
  });

  it('reports that a name cannot be resolved', async () => {
    const guard = new AddressGuard({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    const error = await new Promise((resolve) => guard.lookup('gone.example', { all: true }, resolve));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ reason: 'dns', message: expect.stringContaining('gone.example') });
  });

  it('resolves localhost with the real resolver, and refuses it', async () => {
    const error = await new Promise((resolve) => guard.lookup('localhost', { all: true }, resolve));
    expect(error).toMatchObject({ reason: 'blocked' });
  });

  it('does not reveal the address of a refused name', async () => {
    const guard = new AddressGuard({ resolve: async () => ['10.11.12.13'] });
    const error = await new Promise((resolve) => guard.lookup('printer.internal', {}, resolve));
    expect(error).toMatchObject({ reason: 'blocked', message: expect.stringContaining('printer.internal') });
    expect(String(error)).not.toContain('10.11.12.13');
  });
});

describe('allowed networks', () => {
  const open = new AddressGuard({ allowedNetworks: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1'] });

  it.each(['http://10.1.2.3', 'http://[::ffff:10.1.2.3]', 'http://[fd00:1::1]', 'http://127.0.0.1:3000'])(
    'allow %s',
    (url) => {
      expect(open.checkUrl(url)).toBeUndefined();
    },
  );

  it.each(['http://11.0.0.1', 'http://127.0.0.2', 'http://192.168.0.1', 'http://[::1]'])(
    'do not affect other addresses: %s',
    (url) => {
      expect(open.checkUrl(url) === undefined).toBe(url === 'http://11.0.0.1');
    },
  );

  const everything = new AddressGuard({ allowedNetworks: ['0.0.0.0/0', '::/0'] });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://169.254.170.2',
    'http://2852039166', // 169.254.169.254
    'http://[::ffff:169.254.169.254]',
    'http://[64:ff9b::169.254.169.254]',
    'http://[2002:a9fe:a9fe::1]',
    'http://[::169.254.169.254]',
    'http://[fd00:ec2::254]',
    'http://[fe80::a9fe:a9fe]',
    'http://100.100.100.200',
    'http://168.63.129.16',
  ])('never allow cloud metadata services: %s', (url) => {
    expect(everything.checkUrl(url)).toContain('never allowed');
  });

  it('never allow a name that resolves to a metadata service', async () => {
    await expect(lookup(['169.254.169.254'], ['0.0.0.0/0'])).rejects.toMatchObject({ reason: 'blocked' });
    expect(await lookup(['192.168.7.7'], ['0.0.0.0/0'])).toEqual(['192.168.7.7']);
  });

  it('must be valid', () => {
    expect(() => new AddressGuard({ allowedNetworks: ['10.0.0.0/33'] })).toThrow('10.0.0.0/33');
  });
});
