import type { SettingsInput } from '@switchyard/contract/dispatch/settings';
import { describe, expect, it } from 'vitest';
import { mergeSettings } from './merge-settings.ts';
import { settingsChanges } from './settings-changes.ts';
import { settingsOf, treeOf } from './settings-tree.ts';

const base: SettingsInput = {
  servers: [
    {
      id: 'studio',
      name: 'Studio',
      kind: 'comfyui',
      tags: ['flux'],
      headers: { authorization: '***' },
      instances: [
        { ip: '10.0.0.1', port: 8188, weight: 2 },
        { ip: '::1', port: 8188 },
      ],
    },
    { id: 'ref', name: 'Reference', kind: 'reference', instances: [] },
  ],
  healthCheck: { interval: 5, timeout: 2 },
};

function changed(change: (settings: SettingsInput) => void): SettingsInput {
  const copy = structuredClone(base);
  change(copy);
  return copy;
}

function serverOf(settings: SettingsInput, id = 'studio') {
  const server = settings.servers.find((each) => each.id === id);
  if (!server) throw new Error(`There is no server ${id}.`);
  return server;
}

it('keeps settings as they are on the way to a tree and back', () => {
  expect(settingsOf(treeOf(base))).toEqual(base);
});

describe('the changes of settings', () => {
  it('name each place, and take a server that came or went as one', () => {
    const after = changed((settings) => {
      serverOf(settings).name = 'Studio A';
      serverOf(settings).instances = [{ ip: '10.0.0.1', port: 8188, weight: 3 }];
      settings.servers.push({ id: 'new', name: 'New', kind: 'comfyui', instances: [] });
    });
    expect(
      settingsChanges(base, after).map(({ path, before, after: now }) => [path.join(' '), before, now]),
    ).toEqual([
      ['servers studio name', 'Studio', 'Studio A'],
      ['servers studio instances 10.0.0.1:8188 weight', 2, 3],
      ['servers studio instances ::1:8188', {}, undefined],
      ['servers new', undefined, { name: 'New', kind: 'comfyui', instances: {} }],
    ]);
  });

  it('are none when servers or keys only stand in another order', () => {
    const after = changed((settings) => settings.servers.reverse());
    expect(settingsChanges(base, { healthCheck: after.healthCheck, servers: after.servers })).toEqual([]);
  });
});

describe('two changes of the same settings', () => {
  it('are joined without a question where only one side has changed a place', () => {
    const mine = changed((settings) => {
      serverOf(settings).name = 'Mine';
      settings.servers.push({ id: 'added', name: 'Added', kind: 'comfyui', instances: [] });
    });
    const theirs = changed((settings) => {
      settings.healthCheck.interval = 9;
      settings.servers = settings.servers.filter(({ id }) => id !== 'ref');
    });
    const { conflicts, resolve } = mergeSettings({ base, mine, theirs });
    expect(conflicts).toEqual([]);
    const merged = resolve([]);
    expect(merged.servers.map(({ id, name }) => [id, name])).toEqual([
      ['studio', 'Mine'],
      ['added', 'Added'],
    ]);
    expect(merged.healthCheck).toEqual({ interval: 9, timeout: 2 });
  });

  it('ask for each place that both have changed, and take the chosen side', () => {
    const mine = changed((settings) => {
      settings.healthCheck.interval = 7;
      serverOf(settings).tags = ['mine'];
    });
    const theirs = changed((settings) => {
      settings.healthCheck.interval = 9;
      serverOf(settings).tags = ['theirs'];
    });
    const { conflicts, resolve } = mergeSettings({ base, mine, theirs });
    expect(conflicts.map(({ path }) => path.join(' '))).toEqual([
      'healthCheck interval',
      'servers studio tags',
    ]);
    const merged = resolve(['theirs', 'mine']);
    expect(merged.healthCheck.interval).toBe(9);
    expect(serverOf(merged).tags).toEqual(['mine']);
  });

  it('ask when one has removed what the other has changed', () => {
    const mine = changed((settings) => {
      settings.servers = settings.servers.filter(({ id }) => id !== 'ref');
    });
    const theirs = changed((settings) => {
      serverOf(settings, 'ref').name = 'Renamed';
    });
    const { conflicts, resolve } = mergeSettings({ base, mine, theirs });
    expect(conflicts).toHaveLength(1);
    expect(resolve(['mine']).servers.map(({ id }) => id)).toEqual(['studio']);
    expect(serverOf(resolve(['theirs']), 'ref').name).toBe('Renamed');
  });
});
