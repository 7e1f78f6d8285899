import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, textOf, type Wording } from '@switchyard/contract/sentences/sentences';
import type { Clock } from '../../lib/clock.ts';
import type { Requirement } from '../graphs/capability.ts';
import { fileIdsIn } from '../graphs/params.ts';
import type { InstanceMonitor } from '../instances/instance-monitor.ts';
import { avoidancesOf } from '../queue/avoidance.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';
import { pendingOf } from '../queue/pending-task.ts';
import type { AttemptStore } from '../tasks/attempt-store.ts';
import { type AfterFailure, type AttemptFailure, decideRetry } from '../tasks/task.ts';
import { newTaskError, taskErrorOf, type WordedTaskError, warningsOf } from '../tasks/task-messages.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { Against, AttemptOutcome } from './attempt-outcome.ts';
import { type Cooldowns, cooldownKeys } from './cooldowns.ts';
import type { TaskAttempt } from './task-attempt.ts';

export interface SettlementOptions {
  tasks: Pick<TaskStore, 'input'>;
  attempts: Pick<AttemptStore, 'of'>;
  matchmaker: Pick<Matchmaker, 'addLater'>;
  monitor: Pick<InstanceMonitor, 'noteSuccess' | 'noteFault' | 'noteHostFault'>;
  cooldowns: Cooldowns;
  /** The instances that might have what the task needs; `canBeAsked` is false for those that are away or stuck. */
  candidates: (requirement: Requirement) => { instanceId: string; canBeAsked: boolean }[];
  /** Called when a cooldown of the instance begins; it may be considered again after that time. */
  onCooldown: (lengthMs: number) => void;
  /** The time for which a task avoids an instance the first time. */
  avoidMs: number;
  clock: Clock;
}

type Requeue = Extract<AfterFailure, { next: 'requeue' }>;
/** The message at the end of a task may have more facts than that of its last attempt. */
type Decision = Requeue | (Extract<AfterFailure, { next: 'fail' }> & { message?: Wording });

/** Outcomes that use up none of the task's own tries. */
const notCounted = ['not_taken', 'too_large', 'given_back', 'unsent', 'untraced'];
/** The gateway was interrupted before a worker knew of the task. */
const interrupted = ['unsent', 'untraced'];
/** When this many instances report that they lack a file, all instances are taken to lack it. */
const instancesThatAgree = 2;
/** The error of a task names so many instances that its input is too large for. */
const maxRefusalsTold = 5;
const cancelled = newTaskError('cancelled', say('cancelled'));

/** Decides what follows the end of an attempt: the task's end, or its way back to the queue. */
export class AttemptSettlement {
  readonly #options: SettlementOptions;

  constructor(options: SettlementOptions) {
    this.#options = options;
  }

  async settle(attempt: TaskAttempt, outcome: AttemptOutcome): Promise<void> {
    switch (outcome.kind) {
      case 'succeeded':
        this.#options.monitor.noteSuccess();
        await this.#complete(attempt, outcome);
        return;
      case 'cancelled':
        await attempt.record.fail(cancelled, 'cancelled');
        return;
      case 'given_back':
        await this.#requeue(attempt, {
          outcome: 'given_back',
          error: null,
          delayMs: 0,
        });
        return;
      case 'failed':
        // The task ends as cancelled whatever the outcome was, since a cancel was requested.
        if (attempt.record.row.cancelRequested === 1) await attempt.record.fail(cancelled, 'cancelled');
        else await this.#fail(attempt, outcome);
        return;
    }
  }

  async #complete(
    attempt: TaskAttempt,
    outcome: Extract<AttemptOutcome, { kind: 'succeeded' }>,
  ): Promise<void> {
    const instead = await attempt.complete(outcome);
    if (instead) await this.settle(attempt, instead);
    else await this.#endCooldowns(attempt);
  }

  async #endCooldowns({ record }: TaskAttempt): Promise<void> {
    const { cooldowns } = this.#options;
    if (cooldowns.isEmpty) return;
    cooldowns.clear(await this.#requirementOf(record.row.id));
  }

  async #fail(
    attempt: TaskAttempt,
    { failure, error, against }: Extract<AttemptOutcome, { kind: 'failed' }>,
  ): Promise<void> {
    const { owner } = attempt.record.row;
    const { monitor } = this.#options;
    if (failure === 'worker_error') monitor.noteFault(error.sentences, owner);
    if (against === 'host') monitor.noteHostFault(error.sentences, owner);
    await this.#startCooldown(attempt, against ?? (failure === 'worker_error' ? 'owner' : 'no_one'));
    if (error.code === 'input_file_missing' && (await this.#isMissingEverywhere(attempt))) {
      await attempt.record.fail(reworded(error, say('file_nowhere', { said: error.sentences })), failure);
      return;
    }
    if (error.code === 'input_file_missing') warnOfMissingFile(attempt, error);
    const refusals = failure === 'too_large' ? await this.#refusalsOfAll(attempt, error) : null;
    if (refusals) {
      await attempt.record.fail(reworded(error, say('size_nowhere', { cause: refusals })), failure);
      return;
    }
    const next = await this.#decide(attempt, failure);
    if (next.next === 'fail') await attempt.record.fail(reworded(error, next.message), failure);
    else await this.#requeue(attempt, { ...next, outcome: failure, error });
  }

  async #startCooldown({ record }: TaskAttempt, against: Against): Promise<void> {
    if (against === 'no_one' || against === 'host') return;
    const { id, owner } = record.row;
    const { cooldowns, onCooldown } = this.#options;
    onCooldown(cooldowns.start(cooldownKeys(owner, await this.#requirementOf(id))[against]));
  }

  async #requirementOf(taskId: string): Promise<Requirement> {
    const input = await this.#options.tasks.input(taskId);
    if (!input) throw new Error(`Task ${taskId} has no input row.`);
    return JSON.parse(input.requirement) as Requirement;
  }

  /** A graph that names a file which no worker has would be tried for a quarter of an hour without an explanation. */
  async #isMissingEverywhere({ record }: TaskAttempt): Promise<boolean> {
    const { id, attempt } = record.row;
    const input = await this.#options.tasks.input(id);
    if (!input) return false;
    const sayings = (await this.#options.attempts.of(id)).filter(
      (row) => row.attempt === attempt || saysFileIsMissing(row),
    );
    // A file that was sent there is sent again once, before its absence counts.
    const isSent = fileIdsIn(JSON.parse(input.params) as Record<string, unknown>).length > 0;
    const hasSaidSo = (candidate: string): boolean =>
      sayings.filter(({ instanceId }) => instanceId === candidate).length >= (isSent ? 2 : 1);
    const agreeing = new Set(sayings.map(({ instanceId }) => instanceId).filter(hasSaidSo));
    const reachable = this.#options
      .candidates(JSON.parse(input.requirement) as Requirement)
      .flatMap(({ instanceId, canBeAsked }) => (canBeAsked ? [instanceId] : []));
    return agreeing.size >= instancesThatAgree || (reachable.length > 0 && reachable.every(hasSaidSo));
  }

  /**
   * Returns what the instances said about the size of the task's input, once all that could run it have refused it; one
   * that is away may take it when it is back.
   */
  async #refusalsOfAll({ record }: TaskAttempt, present: WordedTaskError): Promise<Sentence[] | null> {
    const { id, attempt, instanceId } = record.row;
    const refusals = new Map([[instanceId, present.sentences]]);
    for (const row of await this.#options.attempts.of(id)) {
      const error = taskErrorOf(row);
      if (row.attempt < attempt && row.outcome === 'too_large' && error)
        refusals.set(row.instanceId, error.sentences);
    }
    const candidates = this.#options.candidates(await this.#requirementOf(id));
    if (!candidates.every((candidate) => refusals.has(candidate.instanceId))) return null;
    return [...refusals.values()].slice(0, maxRefusalsTold).flat();
  }

  async #decide({ record }: TaskAttempt, failure: AttemptFailure): Promise<Decision> {
    const { id, attempt, retryPolicy, maxAttempts, cancelRequested } = record.row;
    const earlier = (await this.#options.attempts.of(id)).filter((row) => row.attempt < attempt);
    const outcomes = [...earlier.map(({ outcome }) => outcome ?? ''), failure];
    const countOf = (wanted: readonly string[]) => outcomes.filter((each) => wanted.includes(each)).length;
    const interruptions = countOf(interrupted);
    const after = decideRetry(failure, {
      retry: retryPolicy,
      maxAttempts,
      startedAttempts: outcomes.length - countOf(notCounted),
      refusals: countOf(['not_taken']),
      interruptions,
      cancelRequested: cancelRequested === 1,
    });
    // A task that may start only once ends for another reason: it may have started.
    const mayHaveStarted = failure === 'untraced' && retryPolicy === 'never';
    const isGivenUp = after.next === 'fail' && interrupted.includes(failure) && !mayHaveStarted;
    return isGivenUp ? { ...after, message: say('never_handed_over', { count: interruptions }) } : after;
  }

  async #requeue(
    { record }: TaskAttempt,
    { outcome, error, delayMs }: Omit<Requeue, 'next'> & { outcome: string; error: WordedTaskError | null },
  ): Promise<void> {
    const { attempts, matchmaker, avoidMs: firstMs, clock } = this.#options;
    const { id } = record.row;
    const requirement = await this.#requirementOf(id);
    const requeued = await record.requeue(outcome, { error, delayMs });
    if (requeued === 'cancel_requested') await record.fail(cancelled, 'cancelled');
    if (requeued !== 'requeued') return;
    const avoids = avoidancesOf(await attempts.of(id), { nowMs: clock(), firstMs });
    matchmaker.addLater(pendingOf(record.row, requirement, avoids), delayMs);
  }
}

function reworded(error: WordedTaskError, message: Wording = error.sentences): WordedTaskError {
  return { ...error, ...newTaskError(error.code, message) };
}

/** Warns once for each instance, while the others are asked. */
function warnOfMissingFile({ record }: TaskAttempt, { sentences }: WordedTaskError): void {
  const instance = record.row.instanceId ?? '';
  const warning = say('file_missing_there', { instance, cause: sentences });
  if (!warningsOf(record.row).warnings.includes(textOf(warning))) record.warn([warning]);
}

function saysFileIsMissing(row: { error: string | null }): boolean {
  return taskErrorOf(row)?.code === 'input_file_missing';
}
