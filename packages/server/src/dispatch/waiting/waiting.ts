import type { Eta } from '@switchyard/contract/dispatch/task';
import type { TaskWhy } from '@switchyard/contract/dispatch/task-why';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, sentencesOf, textOf, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import { type ReadTogether, readTogether } from '../../platform/database/snapshot.ts';
import type { Fleet, InstanceObstacles } from '../fleet/fleet.ts';
import { type InstanceRow, InstanceStore } from '../instances/instance-store.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';
import type { Pauses } from '../queue/pauses.ts';
import type { PendingTask } from '../queue/pending-entry.ts';
import type { TasksAhead } from '../queue/pending-level.ts';
import { showPause } from '../queue/queue-control.ts';
import type { DispatchTables, QueuePauseRow, TaskRow } from '../tables.ts';
import { type AttemptRow, AttemptStore } from '../tasks/attempt-store.ts';
import { taskErrorOf } from '../tasks/task-messages.ts';
import { TaskStore } from '../tasks/task-store.ts';
import type { Outlook } from '../tasks/task-view.ts';
import type { Estimates } from './estimates.ts';
import { type EtaMs, etaOfRunning, etaOfWaiting } from './eta.ts';
import { isAble, maxInstancesListed, viewInstance } from './instance-outlook.ts';
import { helpFor, nameOf } from './obstacle-text.ts';
import { describeWaiting } from './waiting-text.ts';

interface WaitingStores {
  tasks: Pick<TaskStore, 'get' | 'rowsOf'>;
  attempts: Pick<AttemptStore, 'of'>;
  instances: Pick<InstanceStore, 'list'>;
}

interface WaitingOptions {
  together: ReadTogether<WaitingStores>;
  queue: Pick<Matchmaker, 'get' | 'ahead' | 'competing' | 'postponedUntilMs'>;
  fleet: Pick<Fleet, 'obstaclesTo' | 'canAnyRun'>;
  pauses: Pick<Pauses, 'whole' | 'ofOwner'>;
  estimates: Estimates;
  clock: Clock;
}

/** Reads all rows of an answer in one moment. */
export function waitingOver(
  rows: Database<DispatchTables>,
  parts: Omit<WaitingOptions, 'together'>,
): Waiting {
  const together = readTogether(rows, (frozen) => ({
    tasks: new TaskStore(frozen),
    attempts: new AttemptStore(frozen),
    instances: new InstanceStore(frozen),
  }));
  return new Waiting({ ...parts, together });
}

/** A queued task as it stands in the queue at one moment. All of it is looked up without waiting in between. */
interface Standing {
  task: PendingTask;
  ahead: TaskWhy['ahead'];
  /** The other users with tasks ahead. */
  rivals: number;
  retryAtMs: number | null;
  pause: QueuePauseRow | null;
  instances: InstanceObstacles[];
  /** Those without an obstacle but work for this gateway. */
  couldRun: InstanceObstacles[];
  free: number;
}

/** Tasks of a list beyond this many different graphs have no estimate. */
const maxGraphsEstimated = 20;
/** Obstacles that end by themselves soon. */
const passing: readonly string[] = ['busy', 'cooling', 'avoided'];

/** Answers why tasks wait and when they will have ended. */
export class Waiting {
  readonly #options: WaitingOptions;

  constructor(options: WaitingOptions) {
    this.#options = options;
  }

  async why(owner: Owner, taskId: string): Promise<TaskWhy> {
    const { row, rows, starts, attempts } = await this.#options.together(async (stores) => ({
      ...(await readPool(stores)),
      row: await stores.tasks.get(owner, taskId),
      attempts: await stores.attempts.of(taskId),
    }));
    if (!row) throw new AppError('task_not_found');
    const standing = row.phase === 'queued' ? this.#standingOf(row.id, rows) : null;
    if (standing) return this.#whyQueued(row, standing, starts);
    const nothing = { position: null, ahead: null, pause: null, retryAt: null, instances: [], help: [] };
    const common = { taskId: row.id, status: row.status, phase: row.phase, ...nothing };
    const totals = { instances: rows.filter(({ removed }) => removed === 0).length, couldRun: 0, free: 0 };
    if (row.phase === 'queued' || row.phase === 'ended')
      return { ...common, totals, waiting: textOf(describeOver(row)), runsOn: null, eta: null };
    const runsOn = this.#placeOf(row, attempts);
    const instance = rows.find(({ id }) => id === row.instanceId);
    const eta = await this.#etaOfRunning(row, runsOn?.since ?? null);
    return { ...common, totals, waiting: textOf(describeRunning(row, instance, runsOn)), runsOn, eta };
  }

  /** Returns why each of these tasks waits, or where it runs; tasks that have ended and those of others are left out. */
  async ofEach(
    owner: Owner,
    taskIds: readonly string[],
  ): Promise<{ taskId: string; waiting: string; isPending: boolean }[]> {
    const { rows, instances } = await this.#options.together(async (stores) => ({
      rows: await Promise.all(taskIds.map((taskId) => stores.tasks.get(owner, taskId))),
      instances: await stores.instances.list(),
    }));
    return rows.flatMap((row) => {
      if (!row || row.phase === 'ended') return [];
      const standing = row.phase === 'queued' ? this.#standingOf(row.id, instances) : null;
      const { waiting } = this.#sentencesOf(row, standing, instances);
      return { taskId: row.id, waiting, isPending: row.status === 'pending' };
    });
  }

  /** Sentences and estimates for tasks of a list; a task that has ended has no entry. */
  async outlooks(rows: readonly TaskRow[]): Promise<Map<string, Outlook>> {
    const open = rows.filter(({ phase }) => phase !== 'ended');
    if (open.length === 0) return new Map();
    const { rows: instances, starts } = await this.#options.together(readPool);
    const graphs = new Set<string>();
    const outlooks = open.map(async (row): Promise<[string, Outlook]> => {
      const standing = row.phase === 'queued' ? this.#standingOf(row.id, instances) : null;
      const isEstimated = graphs.has(row.fingerprint) || graphs.size < maxGraphsEstimated;
      if (isEstimated) graphs.add(row.fingerprint);
      const why = this.#whyListed(row, standing, instances);
      if (!isEstimated) return [row.id, { ...why, eta: null }];
      if (standing) return [row.id, { ...why, eta: await this.#etaOf(standing, starts) }];
      // The first start says nothing about a later attempt.
      const since = row.attempt === 1 ? row.startedAt : null;
      return [row.id, { ...why, eta: await this.#etaOfRunning(row, since) }];
    });
    return new Map(await Promise.all(outlooks));
  }

  #standingOf(taskId: string, rows: readonly InstanceRow[]): Standing | null {
    const { queue, fleet, pauses } = this.#options;
    const task = queue.get(taskId);
    if (!task) return null;
    const instances = fleet.obstaclesTo(task, rows);
    const couldRun = instances.filter(isAble);
    const found = queue.ahead(taskId);
    const ids = couldRun.map(({ row }) => row.id);
    const competing = queue.competing(taskId, (requirement) => fleet.canAnyRun(ids, requirement));
    return {
      task,
      ahead: found && viewAhead(found, competing),
      rivals: found?.rivals ?? 0,
      retryAtMs: queue.postponedUntilMs(taskId),
      pause: pauses.whole ?? pauses.ofOwner(task.owner),
      instances,
      couldRun,
      free: couldRun.filter(({ obstacles }) => obstacles.length === 0).length,
    };
  }

  async #whyQueued(row: TaskRow, standing: Standing, starts: Starts): Promise<TaskWhy> {
    const { ahead, retryAtMs, instances, couldRun, free, pause } = standing;
    const others = instances.filter((instance) => !couldRun.includes(instance));
    return {
      taskId: row.id,
      status: row.status,
      phase: row.phase,
      waiting: textOf(describeStanding(standing)),
      position: ahead && ahead.total + 1,
      ahead,
      pause: pause && showPause(pause),
      retryAt: retryAtMs === null ? null : toIso(retryAtMs),
      totals: { instances: instances.length, couldRun: couldRun.length, free },
      instances: [...couldRun, ...others].slice(0, maxInstancesListed).map(viewInstance),
      runsOn: null,
      eta: await this.#etaOf(standing, starts),
      help: helpFor(others),
    };
  }

  /** Returns the text of a list for a task that waits. */
  #whyListed(
    row: TaskRow,
    standing: Standing | null,
    instances: readonly InstanceRow[],
  ): Pick<Outlook, 'waiting' | 'waitingSentences'> {
    if (row.status !== 'pending') return { waiting: null, waitingSentences: [] };
    return this.#sentencesOf(row, standing, instances);
  }

  #sentencesOf(
    row: TaskRow,
    standing: Standing | null,
    instances: readonly InstanceRow[],
  ): { waiting: string; waitingSentences: Sentence[] } {
    if (standing) {
      const waitingSentences = describeStanding(standing);
      return { waiting: textOf(waitingSentences), waitingSentences };
    }
    const instance = instances.find(({ id }) => id === row.instanceId);
    const waiting = row.phase === 'queued' ? describeOver(row) : describeRunning(row, instance, null);
    return { waiting: textOf(waiting), waitingSentences: sentencesOf(waiting) };
  }

  /** When no instance could run it but some will soon, counts from the moment at which the first of them may. */
  async #etaOf(
    { task, ahead, rivals, retryAtMs, pause, instances, couldRun }: Standing,
    starts: Starts,
  ): Promise<Eta | null> {
    const { estimates, clock } = this.#options;
    if (pause) return null;
    const soon = instances.filter(({ obstacles }) => obstacles.every(({ code }) => passing.includes(code)));
    const able = couldRun.length > 0 ? couldRun : soon;
    const ids = able.map(({ row }) => row.id);
    const own = await estimates.ofGraph(task.fingerprint, ids);
    if (!own) return null;
    const competing = ahead?.competing ?? 0;
    const nowMs = clock();
    const busyForMs = able
      .filter(({ obstacles }) => obstacles.some(({ code }) => code === 'busy'))
      .map(({ row }) => nowMs - (starts.get(row.id) ?? nowMs));
    const free = able.length - busyForMs.length;
    const others = competing >= free ? await estimates.ofInstances(ids) : null;
    const untilMs = couldRun.length > 0 ? nowMs : Math.min(...able.map(untilOf));
    const delayMs = Math.max(untilMs, retryAtMs ?? 0) - nowMs;
    return viewEta(etaOfWaiting({ nowMs, own, others, ahead: competing, rivals, busyForMs, free, delayMs }));
  }

  async #etaOfRunning(row: TaskRow, since: string | null): Promise<Eta | null> {
    if (row.instanceId === null || since === null) return null;
    const own = await this.#options.estimates.ofGraph(row.fingerprint, [row.instanceId]);
    const nowMs = this.#options.clock();
    return own && viewEta(etaOfRunning({ nowMs, startMs: Date.parse(since), own }));
  }

  #placeOf(row: TaskRow, attempts: readonly AttemptRow[]): TaskWhy['runsOn'] {
    const attempt = attempts.find((each) => each.attempt === row.attempt);
    if (row.instanceId === null || !attempt) return null;
    const since = attempt.acceptedAt ?? attempt.startedAt;
    const seconds = Math.max(0, Math.round((this.#options.clock() - Date.parse(since)) / 1_000));
    return { instanceId: row.instanceId, since, seconds, node: row.node };
  }
}

/** The times at which the present tasks of instances began there, in milliseconds, by the id of the instance. */
type Starts = ReadonlyMap<string, number>;

/** The instances, and since when they are at their tasks. The first start of a task says nothing about a later attempt. */
async function readPool({
  instances,
  tasks,
}: Pick<WaitingStores, 'instances' | 'tasks'>): Promise<{ rows: InstanceRow[]; starts: Starts }> {
  const rows = await instances.list();
  const running = await tasks.rowsOf(rows.flatMap(({ currentTaskId }) => currentTaskId ?? []));
  const starts = running.flatMap(({ instanceId, attempt, startedAt }): [string, number][] =>
    instanceId !== null && attempt === 1 && startedAt !== null ? [[instanceId, Date.parse(startedAt)]] : [],
  );
  return { rows, starts: new Map(starts) };
}

function viewAhead({ total, higherPriority, own, others }: TasksAhead, competing: number): TaskWhy['ahead'] {
  return { total, higherPriority, own, others, competing: Math.min(competing, total) };
}

function describeStanding({ ahead, instances, couldRun, free, pause, retryAtMs }: Standing): Sentence[] {
  return describeWaiting({
    ahead,
    instances,
    couldRun: couldRun.length,
    free,
    pause,
    retryAt: retryAtMs === null ? null : toIso(retryAtMs),
  });
}

function describeRunning(
  row: TaskRow,
  instance: InstanceRow | undefined,
  runsOn: TaskWhy['runsOn'],
): Wording {
  const where = instance ? nameOf(instance) : (row.instanceId ?? 'a worker');
  if (row.phase === 'dispatching') return say('handed_over', { name: where });
  if (row.phase === 'collecting') return `It does not wait: ${where} is done, and its outputs are fetched.`;
  if (row.phase === 'accepted') return `${where} has it and does not run it yet.`;
  const since = runsOn ? ` for ${runsOn.seconds} s` : '';
  const node = row.node === null ? '' : `, at the node ${row.node}`;
  return `It does not wait: it runs on ${where}${since}${node}.`;
}

/** For a task that is not in the queue and on no worker. */
function describeOver(row: TaskRow): Wording {
  if (row.phase === 'queued') return say('placing');
  const at = row.finishedAt === null ? '' : ` at ${row.finishedAt}`;
  if (row.status === 'completed') return `It does not wait: it was completed${at}.`;
  const error = taskErrorOf(row);
  if (error?.code === 'cancelled') return `It does not wait: it was cancelled${at}.`;
  return `It does not wait: it failed${at}${error ? `: ${error.message}` : '.'}`;
}

function untilOf({ obstacles }: InstanceObstacles): number {
  return Math.max(0, ...obstacles.map(({ untilMs = 0 }) => untilMs));
}

function viewEta(eta: EtaMs | null): Eta | null {
  return eta && { from: toIso(eta.fromMs), to: toIso(eta.toMs) };
}
