import { expect, it } from 'vitest';
import { readSettings, writeSettings } from './read-settings.ts';

const settings = {
  servers: [{ id: 'a', name: 'A', kind: 'comfyui' as const, instances: [{ ip: '10.0.0.1', port: 8188 }] }],
  healthCheck: { interval: 5 },
};

it('reads what it writes, without the version', () => {
  expect(readSettings(writeSettings({ ...settings, version: 7 }))).toEqual({ settings });
});

it('tells broken JSON from JSON that is not a configuration', () => {
  expect(readSettings('{"servers":')).toMatchObject({ problem: 'syntax', message: expect.any(String) });
  for (const text of [
    '[]',
    '{}',
    '{"servers":[1],"healthCheck":{}}',
    '{"servers":[{"id":"a"}],"healthCheck":{}}',
  ]) {
    expect(readSettings(text)).toEqual({ problem: 'shape' });
  }
});
