import type { ThreadStreamMode } from '@switchyard/contract/conversation/runs';
import { dataOf, encodeEvent, type StreamFrame } from '../../platform/stream-log/stream-frame.ts';
import type { StreamLog } from '../../platform/stream-log/stream-log.ts';
import { type FinalEvent, gapFrame } from './records/run-frames.ts';
import type { StartedRun } from './records/run-starts.ts';

/** The position of a reader of a thread: after this event of this run. */
export interface ThreadPosition {
  runId: string;
  after: number;
}

interface ThreadFramesOptions {
  streamLog: Pick<StreamLog, 'read' | 'has'>;
  /** Returns what is left of a run that has ended, and null for one that has not. A run that is deleted has left nothing. */
  leftOf: (runId: string) => Promise<readonly FinalEvent[] | null>;
  /** The runs to begin with, in the order of admission. */
  present: readonly StartedRun[];
  /** Runs that were admitted since before `present` was read; some of them may be in it. */
  coming: AsyncIterable<StartedRun>;
  position: ThreadPosition | null;
  modes: readonly ThreadStreamMode[];
  signal: AbortSignal;
}

/** The id of the last event that a reader of a thread has seen; null when the reader starts again. */
export function threadPosition(header: string | string[] | undefined): ThreadPosition | null {
  const [, runId, after] =
    (typeof header === 'string' && /^([A-Za-z0-9_-]{1,64}):(\d{1,15})$/.exec(header)) || [];
  return runId === undefined ? null : { runId, after: Number(after) };
}

/** All runs of a thread one after the other, including future ones. It lasts until the reader leaves. */
export async function* readThreadFrames(options: ThreadFramesOptions): AsyncGenerator<Uint8Array> {
  let newest = Number.NEGATIVE_INFINITY;
  for await (const run of allRuns(options)) {
    if (run.admission <= newest) continue;
    newest = run.admission;
    yield* framesOfRun(run.run_id, options);
  }
}

async function* allRuns({ present, coming }: ThreadFramesOptions): AsyncGenerator<StartedRun> {
  yield* present;
  yield* coming;
}

async function* framesOfRun(runId: string, options: ThreadFramesOptions): AsyncGenerator<Uint8Array> {
  const { streamLog, leftOf, position, modes } = options;
  // The frames of a run that ended a while ago are gone, and nothing would come any more.
  const left = (await streamLog.has(runId)) ? null : await leftOf(runId);
  if (left === null) yield* keptFrames(runId, options);
  // The reader has seen the beginning of this run, and its outcome is in the thread's state.
  else if (position?.runId === runId) return;
  else yield* left.filter(({ event }) => isWanted(event, modes)).map(encodeEvent);
  if (modes.includes('lifecycle')) yield lifecycle(runId);
}

async function* keptFrames(
  runId: string,
  { streamLog, position, modes, signal }: ThreadFramesOptions,
): AsyncGenerator<Uint8Array> {
  const after = position?.runId === runId ? position.after : 0;
  for await (const part of streamLog.read(runId, { after, signal })) {
    if (part.type === 'gap') {
      yield gapFrame(runId, part);
      continue;
    }
    const wanted = part.frames.filter(({ event }) => isWanted(event, modes));
    if (wanted.length > 0) yield Buffer.concat(wanted.map((frame) => named(frame, runId)));
  }
}

function isWanted(event: string, modes: readonly ThreadStreamMode[]): boolean {
  if (modes.includes('run_modes')) return true;
  if (event === 'metadata' || event === 'error') return modes.includes('lifecycle');
  return event === 'values' && modes.includes('state_update');
}

/** Ids of frames are unique within their run; here they name the run too. */
function named(frame: StreamFrame, runId: string): Uint8Array {
  return encodeEvent({ event: frame.event, data: dataOf(frame), id: `${runId}:${frame.id}` });
}

function lifecycle(runId: string): Uint8Array {
  return encodeEvent({ event: 'lifecycle', data: JSON.stringify({ event: 'run_done', run_id: runId }) });
}
