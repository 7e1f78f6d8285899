import type { EventDraft, EventMethod } from '../../agents/run-events/protocol-event.ts';

/** The events of a thread that a reader wants to get. */
export interface EventFilter {
  channels: readonly string[];
  /** Beginnings of namespaces; absent for all. */
  namespaces?: readonly (readonly string[])[] | undefined;
  /** The number of segments that an event's namespace may have beyond such a beginning; absent for any number. */
  depth?: number | undefined;
}

/** The methods that can match at all, so that no other event is made. */
export function methodsOf({ channels }: EventFilter): ReadonlySet<EventMethod> {
  return new Set(channels.map(methodOfChannel).filter((method) => method !== undefined));
}

/** Uses the rules by which the clients of the protocol filter themselves. */
export function matches(
  event: Pick<EventDraft, 'method' | 'namespace' | 'name'>,
  filter: EventFilter,
): boolean {
  const channel = channelOf(event);
  const isNamed = channel.startsWith('custom:');
  const isOfChannel = filter.channels.includes(channel) || (isNamed && filter.channels.includes('custom'));
  return isOfChannel && isWithin(event.namespace, filter);
}

const methodOfChannels: Readonly<Record<string, EventMethod>> = {
  lifecycle: 'lifecycle',
  input: 'input.requested',
  checkpoints: 'checkpoints',
  values: 'values',
  updates: 'updates',
  messages: 'messages',
  tools: 'tools',
  custom: 'custom',
  tasks: 'tasks',
};

/** Undefined for a channel that the gateway does not know: a client may be newer. */
function methodOfChannel(channel: string): EventMethod | undefined {
  const name = channel.startsWith('custom:') ? 'custom' : channel;
  return Object.hasOwn(methodOfChannels, name) ? methodOfChannels[name] : undefined;
}

function channelOf({ method, name }: Pick<EventDraft, 'method' | 'name'>): string {
  if (method === 'input.requested') return 'input';
  return method === 'custom' && name !== undefined ? `custom:${name}` : method;
}

function isWithin(namespace: readonly string[], { namespaces, depth }: EventFilter): boolean {
  if (!namespaces || namespaces.length === 0) return true;
  return namespaces.some(
    (beginning) =>
      beginsWith(namespace, beginning) &&
      (depth === undefined || namespace.length - beginning.length <= depth),
  );
}

/** A segment is `node:task`. A reader may name the node alone. */
function beginsWith(namespace: readonly string[], beginning: readonly string[]): boolean {
  if (beginning.length > namespace.length) return false;
  return beginning.every((wanted, index) => {
    const segment = namespace[index] ?? '';
    return segment === wanted || (!wanted.includes(':') && segment.split(':', 1)[0] === wanted);
  });
}
