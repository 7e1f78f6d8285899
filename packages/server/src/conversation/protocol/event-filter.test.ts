import { matchesSubscription } from '@langchain/langgraph/stream';
import { describe, expect, it } from 'vitest';
import { type EventMethod, eventMethods } from '../../agents/run-events/protocol-event.ts';
import { type EventFilter, matches, methodsOf } from './event-filter.ts';

const namespaces = [[], ['a:1'], ['a:1', 'b:2'], ['a'], ['b:2'], ['a:1', 'b:2', 'c:3']];
const filters: EventFilter[] = [
  { channels: ['values'] },
  { channels: ['values', 'input', 'custom'], namespaces: [[]], depth: 1 },
  { channels: ['lifecycle', 'input'] },
  { channels: ['messages'], namespaces: [['a']] },
  { channels: ['messages', 'custom:mine'], namespaces: [['a:1'], ['b']], depth: 0 },
  { channels: ['custom'], namespaces: [['a:2']] },
  { channels: ['updates', 'tasks', 'tools', 'checkpoints'], namespaces: [['a', 'b']], depth: 1 },
  { channels: ['unknown'] },
];
const events: { method: EventMethod; name?: string }[] = [
  ...eventMethods.map((method) => ({ method })),
  { method: 'custom', name: 'mine' },
  { method: 'custom', name: 'other' },
];

describe('a filter', () => {
  it('lets through what the clients of the protocol let through', () => {
    for (const filter of filters)
      for (const namespace of namespaces)
        for (const { method, name } of events) {
          const data = name === undefined ? {} : { name };
          const theirs = matchesSubscription(
            { type: 'event', seq: 1, method, params: { namespace, timestamp: 1, data } } as never,
            filter as never,
          );
          const ours = matches({ method, namespace, ...(name !== undefined && { name }) }, filter);
          expect(ours, JSON.stringify({ filter, namespace, method, name })).toBe(theirs);
        }
  });

  it('names the kinds of events that can match at all', () => {
    expect(methodsOf({ channels: ['input', 'custom:x', 'toString', 'unknown'] })).toEqual(
      new Set(['input.requested', 'custom']),
    );
  });
});
