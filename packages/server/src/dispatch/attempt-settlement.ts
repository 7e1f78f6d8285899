import type { TaskError } from '@switchyard/contract/dispatch/task';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { type Requirement, requirementKey } from './capability.ts';
import type { Cooldowns } from './cooldowns.ts';
import type { InstanceMonitor } from './instance-monitor.ts';
import type { Matchmaker } from './matchmaker.ts';
import { pendingOf } from './pending-task.ts';
import { type AttemptFailure, decideRetry } from './task.ts';
import type { TaskAttempt } from './task-attempt.ts';
import type { TaskRow, TaskStore } from './task-store.ts';

export interface SettlementOptions {
  store: TaskStore;
  matchmaker: Matchmaker;
  monitor: InstanceMonitor;
  cooldowns: Cooldowns;
  /** A cooldown of the instance has begun; it may be considered again after that time. */
  onCooldown: (lengthMs: number) => void;
}

/** Outcomes of attempts that used up none of the task's own tries. */
const notCounted = ['not_taken', 'given_back'];

/** What follows the end of an attempt: the task's end, or its way back to the queue. */
export class AttemptSettlement {
  readonly #options: SettlementOptions;

  constructor(options: SettlementOptions) {
    this.#options = options;
  }

  async settle(attempt: TaskAttempt, outcome: AttemptOutcome): Promise<void> {
    switch (outcome.kind) {
      case 'succeeded':
        await this.#complete(attempt, outcome);
        return;
      case 'cancelled':
        await attempt.fail({ code: 'cancelled', message: 'Cancelled.' }, 'cancelled');
        return;
      case 'given_back':
        if (await attempt.requeue('given_back', null)) await this.#backToQueue(attempt.row, 0);
        return;
      case 'failed':
        await this.#fail(attempt, outcome.failure, outcome.error);
        return;
    }
  }

  async #complete(
    attempt: TaskAttempt,
    outcome: Extract<AttemptOutcome, { kind: 'succeeded' }>,
  ): Promise<void> {
    const completed = await attempt.complete(outcome);
    if (typeof completed === 'object') {
      await this.settle(attempt, completed);
      return;
    }
    this.#options.monitor.noteSuccess();
  }

  async #fail(attempt: TaskAttempt, failure: AttemptFailure, error: TaskError): Promise<void> {
    const { store, monitor, cooldowns } = this.#options;
    if (failure === 'worker_error' && error.code !== 'interrupted') monitor.noteFault(error.message);
    const earlier = (await store.attempts(attempt.row.id)).filter(
      (row) => row.attempt < attempt.fence.attempt,
    );
    const refusals = earlier.filter(({ outcome }) => outcome === 'not_taken').length;
    const started = earlier.filter(({ outcome }) => !notCounted.includes(outcome ?? '')).length;
    const next = decideRetry(failure, {
      retry: attempt.row.retryPolicy,
      maxAttempts: attempt.row.maxAttempts,
      startedAttempts: started + Number(failure !== 'not_taken'),
      refusals: refusals + Number(failure === 'not_taken'),
      cancelRequested: attempt.row.cancelRequested === 1,
    });
    if (next.next === 'fail') {
      await attempt.fail(error, failure);
      return;
    }
    if (!(await attempt.requeue(failure, error))) return;
    const requirement = await this.#requirementOf(attempt.row);
    if (next.avoidInstance) this.#options.onCooldown(cooldowns.start(requirementKey(requirement)));
    await this.#backToQueue(attempt.row, next.delayMs);
  }

  async #backToQueue(row: TaskRow, delayMs: number): Promise<void> {
    const requirement = await this.#requirementOf(row);
    this.#options.matchmaker.addLater(pendingOf(row, requirement), delayMs);
  }

  async #requirementOf(row: TaskRow): Promise<Requirement> {
    const input = await this.#options.store.input(row.id);
    if (!input) throw new Error(`Task ${row.id} has no input row.`);
    return JSON.parse(input.requirement) as Requirement;
  }
}
