import { describe, expect, test } from 'vitest';
import { clientIp, clientNetwork, trustedProxies } from './client-ip.ts';

const nobody = trustedProxies([]);
const proxy = trustedProxies(['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.1']);

describe('client address', () => {
  test('is the peer when no proxy is trusted, whatever the header claims', () => {
    expect(clientIp({ peer: '192.0.2.9', realIp: '203.0.113.7' }, nobody)).toBe('192.0.2.9');
    expect(clientIp({ peer: '198.51.100.2', realIp: '203.0.113.7' }, proxy)).toBe('198.51.100.2');
  });

  test.each(['10.1.2.3', '::ffff:10.1.2.3', '2001:db8:1::5', '192.0.2.1'])(
    'is X-Real-IP when the peer %s is trusted',
    (peer) => {
      expect(clientIp({ peer, realIp: '203.0.113.7' }, proxy)).toBe('203.0.113.7');
    },
  );

  test.each([
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['203.000.113.007', '203.0.113.7'],
    ['2001:0DB8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('reads %j as %s', (written, canonical) => {
    expect(clientIp({ peer: '10.0.0.1', realIp: written }, proxy)).toBe(canonical);
  });

  test.each([
    '',
    'unknown',
    '203.0.113',
    '203.0.113.256',
    '0xcb.0.113.7',
    '203.0.113.7, 198.51.100.1',
    '1.2.3.4:80',
  ])('falls back to the proxy itself when X-Real-IP is %j', (written) => {
    expect(clientIp({ peer: '10.0.0.1', realIp: written }, proxy)).toBe('10.0.0.1');
  });

  test('is the proxy itself when the header came twice', () => {
    expect(clientIp({ peer: '10.0.0.1', realIp: ['203.0.113.7', '203.0.113.8'] }, proxy)).toBe('10.0.0.1');
  });

  test('is "unknown" for a socket without a peer', () => {
    expect(clientIp({ peer: undefined, realIp: '203.0.113.7' }, proxy)).toBe('unknown');
  });
});

describe('trusted proxies', () => {
  test('ignore an entry that is neither address nor range, and keep the others', () => {
    const proxies = trustedProxies([
      '10.0.0.1',
      ' ',
      'proxy.local',
      '10.0.0.0/33',
      '10.0.0.0/8/8',
      '::1/129',
      '::1/x',
    ]);
    expect(proxies.includes('10.0.0.2')).toBe(false);
    expect(proxies.includes('::1')).toBe(false);
    expect(proxies.includes('10.0.0.1')).toBe(true);
  });

  test('do not apply a range of one family to the other', () => {
    expect(trustedProxies(['0.0.0.0/0']).includes('2001:db8::1')).toBe(false);
    expect(trustedProxies(['::/0']).includes('203.0.113.7')).toBe(false);
  });
});

describe('a client', () => {
  test('is its address, and on IPv6 its /64', () => {
    expect(clientNetwork('203.0.113.7')).toBe('203.0.113.7');
    expect(clientNetwork('unknown')).toBe('unknown');
    expect(clientNetwork('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(clientNetwork('2001:db8:1:2::1')).toBe('2001:db8:1:2::/64');
    expect(clientNetwork('2001:db8:1:3::1')).not.toBe(clientNetwork('2001:db8:1:2::1'));
  });
});
