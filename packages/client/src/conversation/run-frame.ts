import { type StreamFrame, streamEvents } from '@switchyard/contract/conversation/stream-frames';
import { ConnectionError } from '../errors.ts';
import type { ParsedEvent } from './event-parser.ts';

interface Place {
  /** Null for a frame that cannot be resumed from. */
  id: string | null;
  /** The namespace of the subgraph that sent the frame; empty for the graph itself. */
  namespace: string[];
}

/** Made by this client, not by the gateway: the connection is lost and will be opened again. No frame is lost. */
export interface DisconnectedFrame extends Place {
  event: 'disconnected';
  data: { reason: string; retryInMs: number };
}

type Placed<Frame> = Frame extends unknown ? Frame & Place : never;

export type RunFrame = Placed<StreamFrame> | DisconnectedFrame;

const knownEvents: ReadonlySet<string> = new Set(Object.keys(streamEvents));

/** Returns null for a message that this version does not know: a newer gateway may send more types. */
export function decodeFrame({ event: name, data, id }: ParsedEvent): RunFrame | null {
  const [event = '', ...namespace] = name.split('|');
  if (!knownEvents.has(event)) return null;
  return { event, namespace, id, data: parse(data, event) } as RunFrame;
}

function parse(data: string, event: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new ConnectionError('not_understood', `The data of a frame "${event}" is not valid JSON.`, cause);
  }
}
