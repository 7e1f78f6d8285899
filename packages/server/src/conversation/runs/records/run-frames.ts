import type { StreamMode } from '@switchyard/contract/conversation/run';
import { encodeEvent, joinFrames, type StreamFrame } from '../../../platform/stream-log/stream-frame.ts';
import type { StreamLog, StreamPart } from '../../../platform/stream-log/stream-log.ts';
import { isFrameOf } from './run.ts';

export interface FrameQuery {
  /** The last id that the reader has; 0 reads from the start. */
  after: number;
  /** Frames of other modes are left out; null includes all modes. */
  modes: readonly StreamMode[] | null;
  signal: AbortSignal;
}

interface Failure {
  name: string;
  message: string;
}

export interface FinalEvent {
  event: string;
  data: string;
}

/** No attempt of a run makes this many frames. */
const idsPerAttempt = 1_000_000;

/** Ids of frames ascend over the attempts of a run. Returns the last id that an earlier attempt may have given. */
export function idsBefore(attempt: number): number {
  return (attempt - 1) * idsPerAttempt;
}

/**
 * Returns whether the frame has the state that is left of an earlier attempt: it is the second frame of a later
 * attempt. Readers of all modes get it, because it shows them which of their messages are not part of the run any more.
 */
function isWholeState({ id, event }: StreamFrame): boolean {
  return event === 'values' && id > idsPerAttempt && id % idsPerAttempt === 2;
}

/** Encoded events of a run: stored ones first, then live ones. It ends with the run; otherwise it throws. */
export async function* readFrames(
  streamLog: Pick<StreamLog, 'read'>,
  runId: string,
  { after, modes, signal }: FrameQuery,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const part of streamLog.read(runId, { after, signal })) {
    if (part.type === 'gap') {
      yield gapFrame(runId, part);
      continue;
    }
    const wanted =
      modes === null
        ? part.frames
        : part.frames.filter((frame) => isFrameOf(modes, frame.event) || isWholeState(frame));
    if (wanted.length > 0) yield joinFrames(wanted);
  }
}

/** Returns what is left of a run whose frames are gone: its final values, and its error if it failed. */
export function finalEvents(values: Record<string, unknown>, failure: Failure | null): FinalEvent[] {
  const last = { event: 'values', data: JSON.stringify(values) };
  return failure ? [last, failureEvent(failure)] : [last];
}

/** The last event of a run that has failed. */
export function failureEvent({ name, message }: Failure): FinalEvent {
  return { event: 'error', data: JSON.stringify({ error: name, message, name }) };
}

/** The id of the last event that a client has seen. An id that is not one of ours asks for all events. */
export function lastEventId(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0;
}

/** Tells a reader that frames are gone. It has no id, because no reader resumes from it. */
export function gapFrame(
  runId: string,
  { requested, earliest, latest }: Extract<StreamPart, { type: 'gap' }>,
): Uint8Array {
  const data = {
    code: 'stream_replay_gap',
    run_id: runId,
    requested_event_id: String(requested),
    earliest_available_event_id: String(earliest),
    latest_available_event_id: String(latest),
    recovery: 'reload_durable_state',
  };
  return encodeEvent({ event: 'gap', data: JSON.stringify(data) });
}
