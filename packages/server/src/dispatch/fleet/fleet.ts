import type { Instance } from '@switchyard/contract/dispatch/instance';
import type { Patience } from '@switchyard/contract/dispatch/patience';
import type { HealthCheckDefinition } from '@switchyard/contract/dispatch/settings';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import { toIso } from '../../lib/clock.ts';
import type { Lease } from '../../platform/ownership/lease.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { canRun, judge, mightRun, type Offer, type Requirement } from '../graphs/capability.ts';
import type { FleetJournal } from '../instances/fleet-journal.ts';
import { InstanceMarks } from '../instances/instance-marks.ts';
import type { InstanceRow, InstanceStore } from '../instances/instance-store.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';
import type { Pauses } from '../queue/pauses.ts';
import type { PendingTask } from '../queue/pending-entry.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { ToldNodes, WorkerCapabilities, WorkerClient } from '../worker-client/worker-client.ts';
import type { WorkerEvent } from '../worker-client/worker-event.ts';
import { FleetMember, type MemberAttemptDeps, type TestedInstance } from './fleet-member.ts';
import type { Obstacle } from './obstacle.ts';

export interface FleetOptions extends Pick<DispatchParts, 'events' | 'clock' | 'steadyClock' | 'log'> {
  store: InstanceStore;
  tasks: TaskStore;
  matchmaker: Matchmaker;
  pauses: Pauses;
  journal: Pick<FleetJournal, 'note'>;
  attemptDeps: MemberAttemptDeps;
  healthCheck: () => HealthCheckDefinition;
  patienceOf: (row: InstanceRow) => Patience | null;
  newClient: (row: InstanceRow, onEvent: (event: WorkerEvent) => void) => WorkerClient;
  /** Everything that a client is made from. When it changes, the instance gets a new client. */
  connectionOf: (row: InstanceRow) => string;
  /** Stores what the inputs of nodes take, for reading workflows. */
  learnInputs: (inputs: WorkerCapabilities['inputs']) => Promise<void>;
  /** Stores the report of a worker about its nodes. Returns whether it is new. */
  learnNodes: (instanceId: string, told: ToldNodes) => Promise<boolean>;
  /** The dispatcher while it is another replica that can be asked; null without other replicas. */
  elsewhere: InstancesOfDispatcher | null;
}

/** The instances as the dispatcher, another replica, knows them. */
export interface InstancesOfDispatcher {
  /** Returns null when it does not answer. */
  test(instanceId: string): Promise<TestedInstance | null>;
  /** Resolves when it has asked its instances what they can run, or when the time is over. */
  refresh(waitMs: number): Promise<void>;
}

/** The time that workers have to report what they can run before a task is refused. */
const refreshDeadlineMs = 3_000;
/** Submissions whose bodies stay in memory during that time. */
const maxRefreshesAwaited = 200;

export interface InstanceObstacles {
  row: InstanceRow;
  obstacles: Obstacle[];
}

/**
 * All instances that the rows name, each managed by one member. While this process is the dispatcher, the members look
 * after their instances.
 */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #members = new Map<string, FleetMember>();
  readonly #connections = new Map<string, string>();
  readonly #marks: InstanceMarks;
  /** Their instances wait for a worker that is being started. */
  readonly #held = new Set<string>();
  #lease: Lease | null = null;
  #applying: Promise<void> = Promise.resolve();
  #refreshesAwaited = 0;
  /** Instances in the first read of the rows were not just added. */
  #hasStarted = false;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#marks = new InstanceMarks({
      store: options.store,
      onFault: (error) => options.log.warn({ err: error }, 'the state of instances could not be written'),
    });
  }

  /** Makes the members match the rows: after the start, and after each change of the configuration. */
  apply(): Promise<void> {
    const applied = this.#applying.then(() => this.#apply());
    this.#applying = applied.catch(() => undefined);
    return applied;
  }

  /** The instances of this server are not looked after until `release`, because their workers are being started. */
  hold(serverId: string): void {
    this.#held.add(serverId);
  }

  async release(serverId: string): Promise<void> {
    if (this.#held.delete(serverId)) await this.apply();
  }

  /** Tests an instance where it is looked after. Returns null when no dispatcher answers. */
  async test(instanceId: string, { waitMs }: { waitMs: number }): Promise<TestedInstance | null> {
    const { elsewhere } = this.#options;
    if (!this.#lease && elsewhere) return elsewhere.test(instanceId);
    return (await this.#members.get(instanceId)?.test({ waitMs })) ?? null;
  }

  /** This process is the dispatcher from now on: it takes charge of all instances. */
  async lead(lease: Lease): Promise<void> {
    this.#lease = lease;
    await this.apply();
  }

  /** This process is not the dispatcher any more: its lease has ended. Resolves when it has let go of all instances. */
  async follow(): Promise<void> {
    this.#lease = null;
    await this.#applying;
    await Promise.allSettled([...this.#members.values()].map((member) => member.follow()));
    await this.#marks.settle();
  }

  member(instanceId: string): FleetMember | undefined {
    return this.#members.get(instanceId);
  }

  /** True while this process has no task in hand. */
  get isUnused(): boolean {
    return [...this.#members.values()].every((member) => member.isUnused);
  }

  views(): Instance[] {
    return [...this.#members.values()].map(({ view }) => view);
  }

  /** Returns what keeps a task from each of these instances; nothing when it is free for the task. */
  obstaclesTo(task: PendingTask, rows: readonly InstanceRow[]): InstanceObstacles[] {
    return rows
      .filter(({ removed }) => removed === 0)
      .map((row) => {
        const member = this.#members.get(row.id);
        return { row, obstacles: member ? member.obstaclesTo(task, row) : [{ code: 'checking' }] };
      });
  }

  /** Returns whether one of the instances, free or not, has what tasks with this requirement need. */
  canAnyRun(instanceIds: readonly string[], requirement: Requirement): boolean {
    return instanceIds.some((id) => {
      const offer = this.#members.get(id)?.offer;
      return offer !== undefined && canRun(offer, requirement);
    });
  }

  /** Returns what each enabled instance has for an input that takes models, such as `CheckpointLoaderSimple.ckpt_name`. */
  modelsFor(input: string): { instanceId: string; models: ReadonlySet<string> }[] {
    return this.#offers().flatMap(({ instanceId, capabilities }) => {
      const models = capabilities?.models.get(input);
      return models ? [{ instanceId, models }] : [];
    });
  }

  /** Call it when the pauses have changed. */
  reconsider(): void {
    for (const member of this.#members.values()) member.reconsider();
  }

  /** Returns true when the task runs here and was asked to stop. */
  cancel(taskId: string): boolean {
    return [...this.#members.values()].some((member) => member.cancel(taskId));
  }

  /**
   * Refuses a task that certainly no instance can run; the error names what is missing and how many instances have it.
   * Before that, the instances are asked what they can run now.
   */
  async requireCapable(requirement: Requirement): Promise<void> {
    this.#requirePinned(requirement.pinnedInstanceId);
    if (judge(requirement, this.#offers()).possible) return;
    await this.refreshOffers();
    const verdict = judge(requirement, this.#offers());
    if (verdict.possible) return;
    const missing = verdict.missing.map(
      ({ name, instancesWithIt }) => `${name} (${instancesWithIt} of ${verdict.instances} instances have it)`,
    );
    throw new AppError('no_capable_instance', {
      message: `No instance can run this workflow. Missing: ${missing.join(', ')}.`,
      details: verdict.missing,
    });
  }

  /**
   * True when instances might run it and each of them is away. False without such an instance as well, since then none is expected to
   * come back.
   */
  isEachAway(requirement: Requirement): boolean {
    const candidates = this.#candidates(requirement);
    return candidates.length > 0 && candidates.every(({ canBeAsked }) => !canBeAsked);
  }

  /** Sentences for the submitting client about what the task may wait for in vain. */
  doubtsAbout({ pool }: Pick<Requirement, 'pool'>): Wording[] {
    const present = [...this.#members.values()].filter(({ row }) => row.removed === 0);
    if (pool === null || present.some(({ offer }) => offer.tags.includes(pool))) return [];
    return [say('pool_missing', { pool })];
  }

  /** Ends with the last answer or the deadline. Beyond the limit no further request waits: what is known decides. */
  async refreshOffers(): Promise<void> {
    if (this.#refreshesAwaited >= maxRefreshesAwaited) return;
    this.#refreshesAwaited += 1;
    const late = newDeferred();
    const stop = systemTimer(() => late.resolve(), refreshDeadlineMs);
    try {
      await Promise.race([this.#refresh(), late.promise]);
    } finally {
      stop();
      this.#refreshesAwaited -= 1;
    }
  }

  async #refresh(): Promise<void> {
    if (!this.#lease) await this.#options.elsewhere?.refresh(refreshDeadlineMs);
    await Promise.all(this.#enabled().map((member) => member.refreshOffer()));
  }

  #enabled(): FleetMember[] {
    return [...this.#members.values()].filter(({ row }) => row.enabled === 1 && row.removed === 0);
  }

  #candidates(requirement: Requirement): { instanceId: string; canBeAsked: boolean }[] {
    return this.#enabled()
      .filter(({ offer }) => mightRun(offer, requirement))
      .map(({ row: { id: instanceId }, canBeAsked }) => ({ instanceId, canBeAsked }));
  }

  /** The offers of the instances that are enabled. */
  #offers(): Offer[] {
    return this.#enabled().map(({ offer }) => offer);
  }

  #requirePinned(instanceId: string | null): void {
    if (instanceId === null || this.#members.get(instanceId)?.row.removed === 0) return;
    const message = say('instance_unknown', { id: instanceId });
    throw new AppError('validation_failed', {
      faults: [{ in: 'body', path: ['instanceId'], message, type: 'value_error' }],
    });
  }

  async close(): Promise<void> {
    await this.#applying;
    await Promise.allSettled([...this.#members.values()].map((member) => member.close()));
    await this.#marks.settle();
  }

  async #apply(): Promise<void> {
    const rows = await this.#options.store.list();
    for (const row of rows) {
      const member = this.#members.get(row.id);
      if (member) this.#update(member, row);
      else {
        await this.#add(row);
        if (this.#lease && this.#hasStarted) this.#noteAdded(row);
      }
      if (this.#lease && !this.#held.has(row.serverId)) this.#members.get(row.id)?.lead(this.#lease);
      if (this.#lease && row.giveBack === 1) await this.#giveBack(row.id);
    }
    this.#hasStarted = true;
    await this.#dropAllBut(new Set(rows.map(({ id }) => id)));
    await this.removeUnused();
  }

  /** The members of instances whose rows another replica has deleted. */
  async #dropAllBut(ids: ReadonlySet<string>): Promise<void> {
    for (const [id, member] of this.#members) {
      if (ids.has(id)) continue;
      this.#members.delete(id);
      this.#connections.delete(id);
      await member.close();
    }
  }

  async #giveBack(instanceId: string): Promise<void> {
    const member = this.#members.get(instanceId);
    if (!member?.isInCharge) return;
    member.giveBack();
    await this.#options.store.clearGiveBack(instanceId);
  }

  #noteAdded({ id, serverName }: InstanceRow): void {
    this.#options.journal.note({
      kind: 'added',
      instanceId: id,
      message: say('added', { server: serverName }),
    });
  }

  #update(member: FleetMember, row: InstanceRow): void {
    const { healthCheck, connectionOf } = this.#options;
    const { state, since } = member.isInCharge ? member.row : row;
    member.update({ ...row, state, since }, healthCheck());
    const connection = connectionOf(row);
    // A removed instance keeps the connection on which its last task runs.
    if (row.removed === 1 || connection === this.#connections.get(row.id)) return;
    this.#connections.set(row.id, connection);
    member.reconnect();
  }

  /** Deletes instances that left the configuration once no task is on them any more. */
  async removeUnused(): Promise<void> {
    if (!this.#lease) return;
    for (const [id, member] of this.#members) {
      if (member.row.removed === 0 || !member.isUnused) continue;
      if (!(await this.#options.store.deleteRemoved(id))) continue;
      this.#members.delete(id);
      this.#connections.delete(id);
      await member.close();
      this.#options.journal.note({ kind: 'removed', instanceId: id, message: say('left') });
      this.#options.events.announce({ type: 'instance_removed', instanceId: id });
    }
  }

  async #add(row: InstanceRow): Promise<void> {
    const { events, log, store, connectionOf } = this.#options;
    const capabilities = (await store.capabilitiesOf(row.id)) ?? null;
    const unprobed = { state: 'checking', since: toIso(this.#options.clock()) } as const;
    const member = new FleetMember({
      ...this.#options,
      row: this.#lease ? { ...row, ...unprobed } : row,
      takeCharge: (instanceId, lease) =>
        store.takeCharge(instanceId, {
          confirm: (trx) => lease.confirm(trx),
          nowMs: this.#options.clock(),
        }),
      capabilities,
      health: this.#options.healthCheck(),
      marks: this.#marks,
      storedCapabilities: () => store.capabilitiesOf(row.id),
      candidates: (requirement) => this.#candidates(requirement),
      onChange: (instance) => events.announce({ type: 'instance_changed', instance }),
      onSettled: () => {
        if (member.row.removed === 0 || !member.isUnused) return;
        this.apply().catch((error: unknown) => {
          log.warn(
            { err: error, instanceId: row.id },
            'an instance that left the configuration is still there',
          );
        });
      },
      onCapabilities: (instanceId, learned) => {
        store.putCapabilities(instanceId, learned).then(
          () => events.announce({ type: 'instance_learned', instanceId }),
          (error: unknown) =>
            log.warn({ err: error, instanceId }, 'the capabilities of an instance could not be written'),
        );
      },
      onNodes: (instanceId, told) => {
        this.#options.learnNodes(instanceId, told).then(
          (isNew) => isNew && events.announce({ type: 'instance_learned', instanceId }),
          (error: unknown) =>
            log.warn({ err: error, instanceId }, 'what an instance says of its nodes could not be written'),
        );
      },
      onInputs: (inputs) => {
        this.#options.learnInputs(inputs).catch((error: unknown) => {
          log.warn({ err: error, instanceId: row.id }, 'what nodes take could not be written');
        });
      },
    });
    this.#members.set(row.id, member);
    this.#connections.set(row.id, connectionOf(row));
  }
}
