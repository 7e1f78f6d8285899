import type { Device, InstanceDetail } from '@switchyard/contract/dispatch/instance';
import type { InstanceEvent, InstanceEventKind } from '@switchyard/contract/dispatch/instance-event';
import { formatSize } from './format-size.ts';
import { plainText } from './plain-text.ts';
import { type Column, details, table } from './table.ts';

const troubles: readonly InstanceEventKind[] = [
  'down',
  'restarted',
  'suspect',
  'deaf',
  'refused',
  'failed',
  'lost',
];
const maxTroubles = 10;
const maxModels = 20;

/** Describes one instance for people: its state, its devices and models, and recent failures. */
export function describeInstance(instance: InstanceDetail, events: readonly InstanceEvent[]): string {
  const lately = events.filter(({ kind }) => troubles.includes(kind)).slice(0, maxTroubles);
  const trouble =
    lately.length > 0 ? `\nFailed lately:\n${eventTable(lately)}` : '\nNothing failed lately.\n';
  return `${facts(instance)}${models(instance)}${trouble}`;
}

export function eventTable(events: readonly InstanceEvent[]): string {
  return table(columns, events);
}

const columns: Column<InstanceEvent>[] = [
  { title: 'TIME', of: ({ at }) => at },
  { title: 'EVENT', of: ({ kind }) => kind },
  { title: 'TASK', of: ({ taskId }) => taskId },
  { title: 'WHAT', of: ({ message }) => message },
];

function facts(instance: InstanceDetail): string {
  const { capabilities, devices } = instance;
  const { pytorchVersion, ramFreeBytes, ramTotalBytes } = instance.system ?? {};
  return details([
    ['id', instance.id],
    ['state', `${instance.state} since ${instance.since}`],
    ['server', instance.serverName],
    ['kind', instance.kind],
    ['tags', instance.tags.join(', ')],
    ['version', instance.version],
    ['PyTorch', pytorchVersion ?? null],
    ['memory', freeOf(ramFreeBytes, ramTotalBytes)],
    ...devices.map((device) => ['device', describeDevice(device)] as const),
    ['queue', instance.queueRemaining],
    ['task', instance.currentTaskId],
    ['last heard', instance.lastHeartbeat],
    ['last error', instance.lastError],
    ['node classes', capabilities.known ? capabilities.nodeClasses.length : 'not known yet'],
    ['models', capabilities.known ? modelFiles(instance).length : 'not known yet'],
  ]);
}

function describeDevice({ name, memoryFreeBytes, memoryTotalBytes }: Device): string {
  const free = freeOf(memoryFreeBytes, memoryTotalBytes);
  return free === null ? name : `${name}, ${free}`;
}

function freeOf(freeBytes: number | null | undefined, totalBytes: number | null | undefined): string | null {
  if (typeof freeBytes !== 'number' || typeof totalBytes !== 'number') return null;
  return `${formatSize(freeBytes)} of ${formatSize(totalBytes)} free`;
}

/** A file that several node classes offer counts as one model. */
function modelFiles({ capabilities }: InstanceDetail): string[] {
  return [...new Set(Object.values(capabilities.models).flat())].sort();
}

function models(instance: InstanceDetail): string {
  const files = modelFiles(instance);
  if (files.length === 0) return '';
  const lines = files.slice(0, maxModels).map((file) => `  ${plainText(file)}\n`);
  const more = files.length > maxModels ? `  and ${files.length - maxModels} more (all with -o json)\n` : '';
  return `\nModels:\n${lines.join('')}${more}`;
}
