import type { LookupAddress, lookup as systemLookup } from 'node:dns';
import { textOf } from '@switchyard/contract/sentences/sentences';
import { expect, test } from 'vitest';
import { guardedLookup, whyAddressDenied, whyHostDenied } from './host-rules.ts';

const workers = { allowPrivate: true };
const webhooks = { allowPrivate: false };

test.each([
  '127.0.0.1',
  '10.0.0.5',
  '192.168.1.20',
  '172.16.3.4',
  '100.64.0.7',
  '8.8.8.8',
  '::1',
  'fd12:3456::1',
  '2001:4860:4860::8888',
  '[::1]',
  'localhost',
  'gpu-box',
  'gpu_1.lan',
  'worker.example.org',
])('a worker may be at %s', (host) => {
  expect(whyHostDenied(host, workers)).toBeNull();
});

test.each([
  '169.254.169.254',
  '169.254.0.1',
  '0.0.0.0',
  '0.1.2.3',
  '224.0.0.1',
  '239.1.1.1',
  '255.255.255.255',
  '240.0.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  'fd00:ec2::254',
  '[fe80::1]',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '2002:a9fe:a9fe::1',
  '64:ff9b::a9fe:a9fe',
  'metadata.google.internal',
  'metadata',
  'instance-data.ec2.internal',
])('nothing may be at %s', (host) => {
  expect(whyHostDenied(host, workers)).not.toBeNull();
  expect(whyHostDenied(host, webhooks)).not.toBeNull();
});

test.each(['0x7f000001', '0177.0.0.1', '2130706433', '127.1', '0xa9fea9fe', '0xA9.0xFE.0xA9.0xFE'])(
  'the unusual notation %s is refused, with the plain one named',
  (host) => {
    expect(textOf(whyHostDenied(host, workers) ?? '')).toMatch(/write that|write 1/);
  },
);

test.each([
  '',
  ' ',
  'a b',
  'host:80',
  'user@host',
  'host/path',
  'http://host',
  'host?x',
  'host#x',
  'host\\x',
  'ho\nst',
  '[::1',
  'h%41',
])('%j is not a host', (host) => {
  expect(textOf(whyHostDenied(host, workers) ?? '')).toBe(
    `"${host}" is neither an IP address nor a host name.`,
  );
});

test('private and loopback addresses are for workers, not for webhooks', () => {
  for (const address of ['127.0.0.1', '10.1.2.3', '100.64.0.1', 'fd12::1', '::1', '::ffff:10.0.0.1']) {
    expect(whyAddressDenied(address, workers)).toBeNull();
    expect(textOf(whyAddressDenied(address, webhooks) ?? '')).toBe(`${address} is in a private network.`);
  }
  expect(whyAddressDenied('93.184.216.34', webhooks)).toBeNull();
});

function lookupThatFinds(...addresses: string[]): typeof systemLookup {
  const fake = (_name: string, _options: unknown, callback: (error: null, found: LookupAddress[]) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  return fake as unknown as typeof systemLookup;
}

test('a name that leads to a metadata address is refused when connecting', async () => {
  const lookup = guardedLookup(workers, lookupThatFinds('169.254.169.254'));
  const error = await new Promise((resolve) => lookup('innocent.example', { all: true }, resolve));
  expect(error).toMatchObject({ code: 'EHOSTDENIED' });
});

test('of a name with several addresses only the allowed ones are tried', async () => {
  const lookup = guardedLookup(workers, lookupThatFinds('fe80::1', '10.0.0.5', '169.254.1.1'));
  const all = await new Promise((resolve) => lookup('box', { all: true }, (_error, found) => resolve(found)));
  expect(all).toEqual([{ address: '10.0.0.5', family: 4 }]);
  const one = await new Promise((resolve) => lookup('box', {}, (_error, found) => resolve(found)));
  expect(one).toBe('10.0.0.5');
});
