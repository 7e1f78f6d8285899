import type { Instance, InstanceState } from '@switchyard/contract/dispatch/instance';

/** The glyph of each state. */
export const glyphOfState = {
  off: 'off',
  unreachable: 'unreachable',
  checking: 'checking',
  idle: 'idle',
  busy: 'busy',
  draining: 'draining',
  suspect: 'unreachable',
} as const satisfies Record<InstanceState, string>;

export interface Memory {
  usedBytes: number;
  totalBytes: number;
  /** 0 to 100. */
  percent: number;
}

/** The memory of all devices of an instance together; null when the worker does not report it. */
export function memoryOf({ devices }: Pick<Instance, 'devices'>): Memory | null {
  let usedBytes = 0;
  let totalBytes = 0;
  for (const { memoryTotalBytes, memoryFreeBytes } of devices) {
    if (memoryTotalBytes === null || memoryFreeBytes === null || memoryTotalBytes <= 0) continue;
    totalBytes += memoryTotalBytes;
    usedBytes += Math.max(0, memoryTotalBytes - memoryFreeBytes);
  }
  if (totalBytes === 0) return null;
  return { usedBytes, totalBytes, percent: Math.min(100, (usedBytes / totalBytes) * 100) };
}

/** Those that need somebody's attention stand first, then those that work; the rest by name. */
export function inOrderOfAttention(instances: readonly Instance[]): Instance[] {
  const rank: Record<InstanceState, number> = {
    unreachable: 0,
    suspect: 0,
    checking: 1,
    draining: 2,
    busy: 3,
    idle: 3,
    off: 4,
  };
  return [...instances].sort(
    (left, right) =>
      rank[left.state] - rank[right.state] ||
      left.serverName.localeCompare(right.serverName) ||
      (left.id < right.id ? -1 : 1),
  );
}
