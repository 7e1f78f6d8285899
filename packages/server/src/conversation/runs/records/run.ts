import type { CancelAction, RunStatus, StreamMode } from '@switchyard/contract/conversation/run';
import type { StateView } from '../../../agents/run-contract/agent-run.ts';
import { storable } from '../../../lib/storable-text.ts';
import type { UnitPart } from '../../../platform/database/unit-part.ts';
import type { RunRow, ThreadRow } from '../../tables.ts';
import type { StopKind } from './run-stop.ts';

export type EndStatus = Exclude<RunStatus, 'pending' | 'running'>;

/** The end of a run, before it is written. */
export interface RunOutcome {
  status: EndStatus;
  error: { name: string; message: string } | null;
  /** The reason for which it ended early, in a word; null for a run that was completed. */
  stopReason: string | null;
  /** Undefined when the run changed nothing, or its state cannot be read. */
  state: StateView | undefined;
  /** Parts of the unit that ends the run: the data of the state that is stored with the end. */
  rest?: readonly UnitPart[];
  /** True when the run ends so because a caller has cancelled it. */
  obeysCancel?: boolean;
}

/** The thing that a state waits for. */
export interface Pause {
  hasNext: boolean;
  hasInterrupts: boolean;
}

/** A run is started at most this many times. The limit is for a run that crashes the gateway each time. */
const maxAttempts = 10;

const maxErrorLength = 10_000;

/** A thread is busy while any run waits or works in it, however this one ended. */
export function threadStatusAfter(
  { status, pause }: { status: RunRow['status']; pause: Pause | undefined },
  { othersOpen }: { othersOpen: boolean },
): ThreadRow['status'] {
  if (othersOpen) return 'busy';
  if (status === 'error' || status === 'timeout') return 'error';
  if (pause === undefined) return 'idle';
  // A run that was stopped half-way has a next step too; only an interrupt asks a human.
  const isWaiting = status === 'success' ? pause.hasNext : pause.hasInterrupts;
  return isWaiting ? 'interrupted' : 'idle';
}

/**
 * Returns whether another open run of the thread goes before this one, for people who ask. `isNotHeldUp` has the same rule as a
 * statement.
 */
export function holdsUp(
  other: Pick<RunRow, 'run_id' | 'status' | 'admission' | 'run_at'>,
  run: Pick<RunRow, 'run_id' | 'admission'>,
  at: string,
): boolean {
  if (other.run_id === run.run_id) return false;
  if (other.status === 'running') return true;
  return other.admission < run.admission && (other.run_at === null || other.run_at <= at);
}

export type CancelDecision = 'done_already' | 'refused' | 'end_now' | 'ask_worker';

/** A run that no worker has started ends at once; for any other its worker is asked. */
export function decideCancel({
  status,
  ended_at,
  worker_id,
  attempt,
}: Pick<RunRow, 'status' | 'ended_at' | 'worker_id' | 'attempt'>): CancelDecision {
  if (ended_at !== null) return status === 'interrupted' ? 'done_already' : 'refused';
  return worker_id === null && attempt === 0 ? 'end_now' : 'ask_worker';
}

/** The outcome of a stopped run; undefined when the run does not end. */
export function outcomeOfStop(stop: StopKind): Omit<RunOutcome, 'state'> | undefined {
  switch (stop.kind) {
    case 'cancelled':
      return cancelledOutcome(stop.action);
    case 'timeout': {
      const message = `The run took longer than ${stop.limitMs / 1000} s.`;
      return { status: 'timeout', error: { name: 'TimeoutError', message }, stopReason: 'timeout' };
    }
    case 'lost':
    case 'released':
      return undefined;
  }
}

export function cancelledOutcome(action: CancelAction): Omit<RunOutcome, 'state'> {
  if (action === 'interrupt') return { status: 'interrupted', error: null, stopReason: 'cancelled' };
  const error = { name: 'RolledBack', message: 'Rolled back by user' };
  return { status: 'interrupted', error, stopReason: 'rolled_back' };
}

export function failedOutcome(error: unknown): Omit<RunOutcome, 'state'> {
  return { status: 'error', error: errorOf(error), stopReason: null };
}

/** The outcome of a run that lost its process and is not started again; undefined when it is started again. */
export function refusalToResume(
  { attempt }: Pick<RunRow, 'attempt'>,
  { onRecovery }: { onRecovery: 'resume' | 'fail' },
): Omit<RunOutcome, 'state'> | undefined {
  const why = whyNotResumed(attempt, onRecovery);
  if (why === undefined) return undefined;
  return { status: 'error', error: { name: 'RunLost', message: why }, stopReason: 'orphan_recovered' };
}

function whyNotResumed(attempt: number, onRecovery: 'resume' | 'fail'): string | undefined {
  if (attempt > maxAttempts) return `The run was begun ${maxAttempts} times and never came to its end.`;
  if (attempt > 1 && onRecovery === 'fail')
    return 'The gateway stopped while the run was at work. Start it again to go on from its last checkpoint.';
  return undefined;
}

/** The stored form: text that every database accepts, and not longer than anyone reads. */
export function errorOf(error: unknown): { name: string; message: string } {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  return { name: storable(name).slice(0, 200), message: storable(message).slice(0, maxErrorLength) };
}

/** Returns what waiting callers get; always an object. */
export function valuesOf(
  state: Pick<StateView, 'values' | 'interrupts'> | undefined,
  error: RunOutcome['error'],
): Record<string, unknown> {
  const interrupts = state ? Object.values(state.interrupts).flat() : [];
  return {
    ...state?.values,
    ...(interrupts.length > 0 && { __interrupt__: interrupts }),
    ...(error && { __error__: { error: error.name, message: error.message } }),
  };
}

/** A rolled-back run has a text that says so, but has not failed. */
export function failureOf(
  run: Pick<RunRow, 'status' | 'error' | 'error_name'>,
): { name: string; message: string } | null {
  if (run.status !== 'error' && run.status !== 'timeout') return null;
  return { name: run.error_name ?? 'Error', message: run.error ?? '' };
}

/** Returns whether a reader that asked for these modes wants the frame of this name. */
export function isFrameOf(modes: readonly StreamMode[], event: string): boolean {
  const name = event.split('|', 1)[0] ?? event;
  if (name === 'metadata' || name === 'error' || name === 'gap') return true;
  if (name === 'messages') return modes.includes('messages-tuple');
  if (name.startsWith('messages/')) return modes.includes('messages');
  return (modes as readonly string[]).includes(name);
}

export function pauseOf({ next, interrupts }: StateView): Pause {
  return { hasNext: next.length > 0, hasInterrupts: hasInterrupts(interrupts) };
}

export function hasInterrupts(interrupts: StateView['interrupts']): boolean {
  return Object.values(interrupts).some((list) => list.length > 0);
}
