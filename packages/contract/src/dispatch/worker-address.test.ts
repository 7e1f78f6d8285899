import { describe, expect, it } from 'vitest';
import { parseWorkerAddress, workerUrl } from './worker-address.ts';

const plain = { tls: false, basePath: '', headers: {} };

describe('the address of a worker', () => {
  it.each([
    ['192.168.1.20:8188', { ...plain, ip: '192.168.1.20', port: 8188 }],
    [' 192.168.1.20 ', { ...plain, ip: '192.168.1.20', port: 8188 }],
    ['gpu-1.lan:80', { ...plain, ip: 'gpu-1.lan', port: 80 }],
    ['[::1]:8190', { ...plain, ip: '::1', port: 8190 }],
    ['http://gpu-1.lan:8188/', { ...plain, ip: 'gpu-1.lan', port: 8188 }],
    ['http://gpu-1.lan', { ...plain, ip: 'gpu-1.lan', port: 80 }],
    ['https://gpu.example.com', { ...plain, ip: 'gpu.example.com', port: 443, tls: true }],
    ['HTTPS://gpu.example.com:8443', { ...plain, ip: 'gpu.example.com', port: 8443, tls: true }],
    [
      'https://gpu.example.com/comfy/',
      { ...plain, ip: 'gpu.example.com', port: 443, tls: true, basePath: '/comfy' },
    ],
    ['box:80/a/b', { ...plain, ip: 'box', port: 80, basePath: '/a/b' }],
    ['box/comfy', { ...plain, ip: 'box', port: 8188, basePath: '/comfy' }],
  ])('%s', (text, address) => {
    expect(parseWorkerAddress(text)).toEqual(address);
  });

  it('has the header of basic authentication when a user and a password stand in it', () => {
    expect(parseWorkerAddress('https://ann:p%40ss%C3%A9@gpu.lan/')?.headers).toEqual({
      Authorization: `Basic ${Buffer.from('ann:p@ssé').toString('base64')}`,
    });
  });

  it.each([
    '',
    'a b',
    'ftp://x',
    'host:port',
    'host:99999',
    'host:0',
    'http://',
    'http://%@host',
    'host?x=1',
    'host/#a',
    'host//a',
    'host/[a]',
  ])('is not "%s"', (text) => {
    expect(parseWorkerAddress(text)).toBeNull();
  });

  it('in a browser has the scheme and the path of its server', () => {
    expect(workerUrl({ ip: '::1', port: 8188 }, {})).toBe('http://[::1]:8188/');
    const server = { tls: { verify: false }, basePath: '/comfy' };
    expect(workerUrl({ ip: 'gpu.lan', port: 8443 }, server)).toBe('https://gpu.lan:8443/comfy/');
  });
});
