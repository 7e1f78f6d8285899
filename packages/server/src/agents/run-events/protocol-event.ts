/** The kinds of events of LangGraph's second protocol that the gateway sends. */
export const eventMethods = [
  'lifecycle',
  'input.requested',
  'checkpoints',
  'values',
  'updates',
  'messages',
  'tools',
  'custom',
  'tasks',
] as const;
export type EventMethod = (typeof eventMethods)[number];

/** An event before it has its place in the stream of its thread. */
export interface EventDraft {
  method: EventMethod;
  namespace: readonly string[];
  node?: string | undefined;
  /** The result of `placeText` for it, when many events have the same. */
  place?: string | undefined;
  /** JSON text in one line: most of it is copied from the frame as it is. */
  data: string;
  /** The name of a custom event, which has a channel of its own. */
  name?: string | undefined;
}

export interface ProtocolEvent extends EventDraft {
  /** Unique within the thread, and the same for each reader and after a restart. */
  eventId: string;
  /** Ascends within the thread. The events of one frame share it. */
  seq: number;
  atMs: number;
}

/** Runs of a thread stand so far apart that no frame of one has the number of another. */
const seqPerRun = 1_000_000_000;

/** The number of the events that a frame of a run becomes. */
export function seqOf(admission: number, frameId: number): number {
  return admission * seqPerRun + frameId;
}

/** Returns the event as JSON text. */
export function eventText(event: ProtocolEvent): string {
  const { method, data, eventId, seq, atMs, place = placeText(event) } = event;
  const params = `{${place},"timestamp":${atMs},"data":${data}}`;
  const head = `"event_id":${JSON.stringify(eventId)},"seq":${seq},"method":"${method}"`;
  return `{"type":"event",${head},"params":${params}}`;
}

/** Returns where an event comes from, as the JSON text of two fields. */
export function placeText({ namespace, node }: Pick<EventDraft, 'namespace' | 'node'>): string {
  const ofNode = node === undefined ? '' : `,"node":${JSON.stringify(node)}`;
  return `"namespace":${JSON.stringify(namespace)}${ofNode}`;
}
