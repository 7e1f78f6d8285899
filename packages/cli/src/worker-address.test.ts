import { describe, expect, it } from 'vitest';
import { parseWorkerAddress } from './worker-address.ts';

describe('the address of a worker', () => {
  it.each([
    ['192.168.1.20:8188', { ip: '192.168.1.20', port: 8188, tls: false }],
    ['192.168.1.20', { ip: '192.168.1.20', port: 8188, tls: false }],
    ['gpu-1.lan:80', { ip: 'gpu-1.lan', port: 80, tls: false }],
    ['[::1]:8190', { ip: '::1', port: 8190, tls: false }],
    ['http://gpu-1.lan:8188/', { ip: 'gpu-1.lan', port: 8188, tls: false }],
    ['http://gpu-1.lan', { ip: 'gpu-1.lan', port: 80, tls: false }],
    ['https://gpu.example.com', { ip: 'gpu.example.com', port: 443, tls: true }],
    ['https://gpu.example.com:8443', { ip: 'gpu.example.com', port: 8443, tls: true }],
  ])('%s', (text, address) => {
    expect(parseWorkerAddress(text)).toEqual(address);
  });

  it.each(['', 'a b', 'ftp://x', 'host:port', 'host:99999', 'http://user:pw@host', 'host/path', 'host?x=1'])(
    'is not "%s"',
    (text) => {
      expect(() => parseWorkerAddress(text)).toThrow('is not the address of a worker');
    },
  );
});
