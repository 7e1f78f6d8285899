import type { RunRow } from '../../tables.ts';
import type { TellOwner } from '../../thread-news.ts';
import { failureOf, type Pause, threadStatusAfter } from './run.ts';

type Known = Pick<
  RunRow,
  | 'run_id'
  | 'thread_id'
  | 'user_id'
  | 'assistant_id'
  | 'status'
  | 'error'
  | 'error_name'
  | 'ended_at'
  | 'delete_thread'
>;

/** Tells the owner of a run that it was accepted, that it has begun, and how it has ended. */
export class RunNews {
  readonly #tell: TellOwner;

  constructor(tell: TellOwner) {
    this.#tell = tell;
  }

  accepted(run: Known): void {
    this.#say(run, { status: 'pending', waitsForHuman: false });
  }

  began(run: Known): void {
    this.#say(run, { status: 'running', waitsForHuman: false });
  }

  /** The pause is undefined when the run changed nothing, or its state cannot be read. */
  ended(run: Known, pause: Pause | undefined): void {
    const waitsForHuman =
      threadStatusAfter({ status: run.status, pause }, { othersOpen: false }) === 'interrupted';
    this.#say(run, { status: run.status, waitsForHuman });
    // A thread that goes with its run has no one who could read it.
    if (run.delete_thread !== 0) return;
    const data = { threadId: run.thread_id, unread: true, runEndedAt: run.ended_at };
    this.#tell(run.user_id, { type: 'thread_unread', data });
  }

  #say(run: Known, { status, waitsForHuman }: { status: RunRow['status']; waitsForHuman: boolean }): void {
    const data = {
      runId: run.run_id,
      threadId: run.thread_id,
      assistantId: run.assistant_id,
      status,
      waitsForHuman,
      error: failureOf(run)?.message ?? null,
    };
    this.#tell(run.user_id, { type: 'run_status', data });
  }
}
