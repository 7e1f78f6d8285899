import type { Settings } from '@switchyard/contract/dispatch/settings';
import { expect, it } from 'vitest';
import { instanceIdOf, parseAddress, withoutWorker, withWorker } from './settings-change.ts';

const settings: Settings = {
  version: 3,
  healthCheck: { interval: 5 },
  servers: [
    {
      id: 'box',
      name: 'Box',
      kind: 'comfyui',
      instances: [
        { ip: '10.0.0.1', port: 8188 },
        { ip: '10.0.0.1', port: 8189 },
      ],
    },
  ],
};
const added = { address: { ip: '10.0.0.2', port: 8188, tls: false }, name: '', tags: [] };

it.each([
  ['192.168.1.20', { ip: '192.168.1.20', port: 8188, tls: false }],
  [' box:8190 ', { ip: 'box', port: 8190, tls: false }],
  ['http://box/', { ip: 'box', port: 80, tls: false }],
  ['box:80', { ip: 'box', port: 80, tls: false }],
  ['https://gpu.example.com', { ip: 'gpu.example.com', port: 443, tls: true }],
  ['[::1]:8188', { ip: '::1', port: 8188, tls: false }],
])('reads %s as an address', (text, address) => {
  expect(parseAddress(text)).toEqual(address);
});

it.each(['', 'two words', 'ftp://box', 'box:99999', 'http://'])('takes "%s" for no address', (text) => {
  expect(parseAddress(text)).toBeNull();
});

it('adds a server of its own for a new worker and keeps the rest', () => {
  const changed = withWorker(settings, added);
  expect(changed?.servers[0]).toBe(settings.servers[0]);
  expect(changed?.servers[1]).toEqual({
    id: '10.0.0.2-8188',
    name: '10.0.0.2',
    kind: 'comfyui',
    instances: [{ ip: '10.0.0.2', port: 8188 }],
  });
});

it('gives the server an id that is free and allowed', () => {
  expect(withWorker(settings, { ...added, name: 'box' })?.servers[1]?.id).toBe('box-2');
  expect(withWorker(settings, { ...added, name: 'Müllers Kiste!' })?.servers[1]?.id).toBe('M-llers-Kiste-');
});

it('adds no address twice', () => {
  expect(withWorker(settings, { ...added, address: { ip: '10.0.0.1', port: 8189, tls: false } })).toBeNull();
});

it('removes an instance, and its server with the last one', () => {
  const one = withoutWorker(settings, '10.0.0.1:8189');
  expect(one.servers[0]?.instances).toEqual([{ ip: '10.0.0.1', port: 8188 }]);
  expect(withoutWorker(one, '10.0.0.1:8188').servers).toEqual([]);
  expect(instanceIdOf({ ip: '::1', port: 1 })).toBe('[::1]:1');
});
