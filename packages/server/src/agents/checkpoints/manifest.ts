import type { Checkpoint } from '@langchain/langgraph-checkpoint';
import { type NewValue, type Place, storedForm, valueAt } from './values.ts';

type Version = Checkpoint['channel_versions'][string];

/** Holds, for each channel with a value, its version and where the value is stored. */
export type Manifest = Record<string, { version: Version | null; place: Place }>;

/**
 * Returns what a checkpoint holds and what has to be stored for it. A channel with the parent's version has the parent's value,
 * so it is not looked at. LangGraph's own list of new versions cannot be used here: it is empty for a fork.
 */
export function manifestOf(
  { channel_values: values, channel_versions: versions }: Checkpoint,
  parent: Manifest,
): { manifest: Manifest; parts: NewValue[] } {
  const known = new Set(hashesIn(parent));
  const parts = new Map<string, NewValue>();
  const entries = Object.entries(values).map(([channel, value]) => {
    const version = versions[channel] ?? null;
    const inherited = Object.hasOwn(parent, channel) ? parent[channel] : undefined;
    if (inherited && version !== null && inherited.version === version) return [channel, inherited] as const;
    const stored = storedForm(value);
    for (const part of stored.parts) if (!known.has(part.hash)) parts.set(part.hash, part);
    return [channel, { version, place: stored.place }] as const;
  });
  return { manifest: Object.fromEntries(entries), parts: [...parts.values()] };
}

export function channelValues(manifest: Manifest, part: (hash: string) => unknown): Record<string, unknown> {
  const entries = Object.entries(manifest).map(([channel, { place }]) => [channel, valueAt(place, part)]);
  return Object.fromEntries(entries);
}

export function hashesIn(manifest: Manifest): string[] {
  return Object.values(manifest).flatMap(({ place }) => place);
}
