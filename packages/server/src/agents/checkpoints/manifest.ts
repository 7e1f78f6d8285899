import type { Checkpoint } from '@langchain/langgraph-checkpoint';
import type { CheckpointRow } from './tables.ts';
import { type NewValue, type Place, storedForm, valueAt } from './values.ts';

type Version = Checkpoint['channel_versions'][string];

/** Holds, for each channel with a value, its version and where the value is stored. */
export type Manifest = Record<string, { version: Version | null; place: Place }>;

/** The form that is stored. The versions are left out, because the row has them in its checkpoint. */
export function manifestText(manifest: Manifest): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(manifest).map(([name, { place }]) => [name, place])),
  );
}

export function manifestIn({
  channels,
  checkpoint,
}: Pick<CheckpointRow, 'channels' | 'checkpoint'>): Manifest {
  const { channel_versions: versions } = JSON.parse(checkpoint) as Pick<Checkpoint, 'channel_versions'>;
  const entries = Object.entries(placesIn(channels)).map(
    ([name, place]) =>
      [name, { version: Object.hasOwn(versions, name) ? (versions[name] ?? null) : null, place }] as const,
  );
  return Object.fromEntries(entries);
}

/** Returns where the values of a stored manifest are, by channel. */
export function placesIn(channels: string): Record<string, Place> {
  const stored = JSON.parse(channels) as Record<string, Place | { place: Place }>;
  // Rows of earlier versions have the version beside the place.
  const entries = Object.entries(stored).map(([name, entry]) => [
    name,
    typeof entry === 'string' || Array.isArray(entry) ? entry : entry.place,
  ]);
  return Object.fromEntries(entries);
}

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
