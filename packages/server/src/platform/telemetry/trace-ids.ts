import { createHash, randomUUID } from 'node:crypto';

/** The place of a span to be: its trace, and the span around it. */
export interface TracePlace {
  traceId: string;
  parentId: string | null;
}

const form = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-|$)/;
const nothing = /^0+$/;

/** Reads a `traceparent` (W3C Trace Context). Returns null for anything else. */
export function readTraceparent(text: unknown): { traceId: string; parentId: string } | null {
  const [, traceId, parentId] = (typeof text === 'string' && !text.startsWith('ff') && form.exec(text)) || [];
  if (traceId === undefined || parentId === undefined) return null;
  return nothing.test(traceId) || nothing.test(parentId) ? null : { traceId, parentId };
}

export function traceparentOf(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Returns the place that is stored with a task or a run. Without one its own id, a UUID, is that of its trace. */
export function tracePlaceOf(traceparent: string | null | undefined, id: string): TracePlace {
  return readTraceparent(traceparent) ?? { traceId: traceIdOf(id), parentId: null };
}

/** Returns the `traceparent` for what a run or a task calls, by the one that is stored with it. The span of the run or task is around the call. */
export function traceparentWithin(stored: string | null | undefined, id: string): string {
  return traceparentOf(tracePlaceOf(stored, id).traceId, spanIdOf(id));
}

/** Tasks that a tool call asks for, and calls of other servers, are below it. They know nothing of the run but its id. */
export function spanIdOfCall(runId: string, toolCallId: string): string {
  return spanIdOf(`${runId}/${toolCallId}`);
}

export function traceIdOf(uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase();
}

/** Returns the id of a span that no other process has to name: parts of a UUID that are random throughout, which costs no call of the system. */
export function newSpanId(): string {
  const uuid = randomUUID();
  return uuid.slice(24) + uuid.slice(0, 4);
}

/** Spans have ids that follow from what they are about, so that another process can name them as parents. */
export function spanIdOf(key: string): string {
  return createHash('sha1').update(key).digest('hex').slice(0, 16);
}
