import { expect, it } from 'vitest';
import { type Manifest, manifestIn, manifestText, placesIn } from './manifest.ts';

const manifest: Manifest = {
  messages: { version: 3, place: ['a', 'b'] },
  topic: { version: 2, place: 'c' },
  // LangGraph keeps its own tasks without a version.
  __pregel_tasks: { version: null, place: 'd' },
};
const checkpoint = JSON.stringify({ v: 4, channel_versions: { messages: 3, topic: 2, gone: 1 } });

it('a stored manifest holds places, and has the versions of its checkpoint when it is read', () => {
  const channels = manifestText(manifest);

  expect(channels).toBe('{"messages":["a","b"],"topic":"c","__pregel_tasks":"d"}');
  expect(manifestIn({ channels, checkpoint })).toEqual(manifest);
});

it('a manifest of an earlier version, with versions of its own, is read the same', () => {
  const channels = JSON.stringify(manifest);

  expect(manifestIn({ channels, checkpoint })).toEqual(manifest);
  expect(placesIn(channels)).toEqual({ messages: ['a', 'b'], topic: 'c', __pregel_tasks: 'd' });
});
