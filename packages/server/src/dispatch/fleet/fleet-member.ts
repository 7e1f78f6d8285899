import type { Instance } from '@switchyard/contract/dispatch/instance';
import type { Patience } from '@switchyard/contract/dispatch/patience';
import type { HealthCheckDefinition } from '@switchyard/contract/dispatch/settings';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, sentencesOf, textOf } from '@switchyard/contract/sentences/sentences';
import { newDeferred } from '../../lib/async/deferred.ts';
import { type LinkedAbort, linkedAbort } from '../../lib/async/linked-abort.ts';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import { toIso } from '../../lib/clock.ts';
import { type Lease, LeaseLost } from '../../platform/ownership/lease.ts';
import type { SettlementOptions } from '../attempts/attempt-settlement.ts';
import type { AttemptDeps } from '../attempts/task-attempt.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { Offer } from '../graphs/capability.ts';
import type { FleetJournal, Occurrence } from '../instances/fleet-journal.ts';
import type { InstanceMarks } from '../instances/instance-marks.ts';
import { InstanceMonitor } from '../instances/instance-monitor.ts';
import { changeOfCapabilities, changesOfLive, changesOfUse } from '../instances/instance-occurrences.ts';
import { type LiveInstance, unknownInstance } from '../instances/instance-state.ts';
import type { Capabilities, InstanceRow } from '../instances/instance-store.ts';
import { columnsOf, viewInstance } from '../instances/instance-view.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';
import type { Pauses } from '../queue/pauses.ts';
import type { PendingTask } from '../queue/pending-entry.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type {
  ProbeOutcome,
  ToldNodes,
  WorkerCapabilities,
  WorkerClient,
} from '../worker-client/worker-client.ts';
import type { WorkerEvent } from '../worker-client/worker-event.ts';
import { InstanceRunner } from './instance-runner.ts';
import {
  allOf,
  type Obstacle,
  obstacleOfAvoidance,
  obstacleOfOffer,
  obstacleOfPause,
  obstacleOfRow,
} from './obstacle.ts';

/** The parts that all instances share; each instance adds the rest. */
export type MemberAttemptDeps = Omit<
  AttemptDeps,
  'client' | 'monitor' | 'signal' | 'isOwner' | 'outputClasses' | 'serverPatience'
>;

export interface MemberOptions extends Pick<DispatchParts, 'clock' | 'steadyClock' | 'log'> {
  row: InstanceRow;
  capabilities: Capabilities | null;
  health: HealthCheckDefinition;
  newClient: (row: InstanceRow, onEvent: (event: WorkerEvent) => void) => WorkerClient;
  /** Returns the token for the writes about the instance; null when its row is gone. */
  takeCharge: (instanceId: string, lease: Pick<Lease, 'confirm'>) => Promise<number | null>;
  matchmaker: Matchmaker;
  pauses: Pauses;
  tasks: TaskStore;
  attemptDeps: MemberAttemptDeps;
  patienceOf: (row: InstanceRow) => Patience | null;
  marks: InstanceMarks;
  candidates: SettlementOptions['candidates'];
  journal: Pick<FleetJournal, 'note'>;
  /** The capabilities that the replica in charge of the instance has stored. */
  storedCapabilities: () => Promise<Capabilities | undefined>;
  onChange: (instance: Instance) => void;
  onSettled: () => void;
  onCapabilities: (instanceId: string, capabilities: Capabilities) => void;
  onInputs: (inputs: WorkerCapabilities['inputs']) => void;
  onNodes: (instanceId: string, told: ToldNodes) => void;
}

/**
 * The result of a probe, as replicas send it to each other. `untold` is the reason when the instance did not report
 * what it can run.
 */
export interface TestedInstance {
  outcome: Extract<ProbeOutcome, { ok: true }> | (Extract<ProbeOutcome, { ok: false }> & { message: string });
  untold: string | null;
  /** The outcome or `untold` as codes. A replica of an earlier version sends none. */
  sentences?: Sentence[];
}

const retryHoldMs = 1_000;

/**
 * One configured instance in this process. While this process is the dispatcher it has a client, a monitor and a
 * runner. Otherwise the row has what the dispatcher has found.
 */
export class FleetMember {
  readonly #options: MemberOptions;
  #isClosed = false;
  /** Belongs to the present time in charge of the instance. */
  #stay: LinkedAbort | null = null;
  #lease: Lease | null = null;
  #row: InstanceRow;
  #health: HealthCheckDefinition;
  #offer: Offer;
  #capabilities: Capabilities | null;
  #outputClasses: ReadonlySet<string> | null = null;
  #owned: { monitor: InstanceMonitor; runner: InstanceRunner; token: number } | null = null;
  /** Resolved while `#owned` is set. */
  #taken = newDeferred();
  #shown: string | null = null;
  /** The state that its row gets, by how soon it gets it. */
  #marked: { soon: string; usual: string; rarely: string | null } = { soon: '', usual: '', rarely: null };
  /** What the dispatcher, another process, has told last. */
  #heard: Instance | null = null;
  /** The state that the journal has received last. */
  #noted: LiveInstance = unknownInstance;
  #running: Promise<void> = Promise.resolve();

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#row = options.row;
    this.#health = options.health;
    this.#capabilities = options.capabilities;
    this.#offer = offerOf(options.row, options.capabilities);
  }

  get row(): InstanceRow {
    return this.#row;
  }

  get offer(): Offer {
    return this.#offer;
  }

  get view(): Instance {
    return viewInstance(this.#row, this.#owned?.monitor.live ?? null);
  }

  /** It takes tasks now or soon, as far as is known: it is neither away nor stuck. */
  get canBeAsked(): boolean {
    const { state } = this.view;
    return state !== 'unreachable' && state !== 'suspect';
  }

  get isUnused(): boolean {
    return this.#owned?.runner.isUnused ?? true;
  }

  /** True when the live state is known here. */
  get isInCharge(): boolean {
    return this.#owned !== null;
  }

  /** Takes charge of the instance for as long as the lease lasts. A second call with the same lease changes nothing. */
  lead(lease: Lease): void {
    if (this.#lease === lease) return;
    this.#lease = lease;
    this.#running = this.#running.then(() => this.#leadAgainAndAgain(lease));
  }

  /** Resolves when this process does nothing more for the instance, once its lease has ended. */
  async follow(): Promise<void> {
    this.#lease = null;
    await this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stay?.abort(new Error('The instance is not looked after by this process any more.'));
    await this.#running;
  }

  /** Takes in the state of the instance from the dispatcher, which is another process. */
  hear(instance: Instance): void {
    if (this.#owned) return;
    this.#heard = instance;
    this.#row = this.seen(this.#row);
  }

  /** Returns the row with what the dispatcher has told of the instance since it was written. */
  seen(row: InstanceRow): InstanceRow {
    const heard = this.#heard;
    const isOfRow = heard?.enabled === (row.enabled === 1 && row.removed === 0);
    if (!heard || !isOfRow || (heard.lastHeartbeat ?? '') < (row.lastHeartbeat ?? '')) return row;
    const { alive, busy, state, since, lastHeartbeat, queueRemaining, currentTaskId } = heard;
    const shown = { state, since, lastHeartbeat, queueRemaining, currentTaskId };
    return { ...row, ...shown, alive: alive ? 1 : 0, busy: busy ? 1 : 0 };
  }

  /** Its address or its headers have changed: a new client takes over and resumes what runs. */
  reconnect(): void {
    this.#stay?.abort(new Error('The connection of the instance has changed.'));
  }

  update(row: InstanceRow, health: HealthCheckDefinition): void {
    if (this.#owned) this.#note(changesOfUse(this.#row, row));
    this.#row = row;
    this.#health = health;
    this.#offer = { ...this.#offer, tags: JSON.parse(row.tags) as string[] };
    this.#owned?.monitor.setHealthCheck(health);
    this.#owned?.runner.update(row);
    this.#show();
  }

  /** Everything that keeps this task from the instance; `row` has it when another replica looks after the instance. */
  obstaclesTo(task: PendingTask, row: InstanceRow): Obstacle[] {
    if (this.#owned) return this.#owned.runner.obstaclesTo(task);
    const { pauses } = this.#options;
    return allOf([
      obstacleOfOffer(this.#offer, task.requirement),
      obstacleOfRow(this.seen(row)),
      obstacleOfPause(pauses.ofInstance(this.#offer.tags)),
      obstacleOfPause(pauses.ofOwner(task.owner)),
      obstacleOfAvoidance(task, row.id),
    ]);
  }

  cancel(taskId: string): boolean {
    return this.#owned?.runner.cancel(taskId) ?? false;
  }

  /** Pauses have changed: it may be given tasks that it was not given before, or none any more. */
  reconsider(): void {
    this.#owned?.runner.reconsider();
  }

  giveBack(): void {
    this.#owned?.runner.giveBack();
  }

  /**
   * Probes, and asks again what it can run. Returns null when another replica is in charge of it, or this one has not
   * taken charge within the wait.
   */
  async test({ waitMs }: { waitMs: number }): Promise<TestedInstance | null> {
    if (!this.#owned) await this.#untilOwned(waitMs);
    const monitor = this.#owned?.monitor;
    if (!monitor) return null;
    const isKnown = monitor.live.hasCapabilities;
    const outcome = await monitor.probe();
    if (!outcome.ok) {
      const { message } = outcome;
      const told = { ...outcome, message: textOf(message) };
      return { outcome: told, untold: null, sentences: sentencesOf(message) };
    }
    const untold = isKnown ? await monitor.refreshCapabilities() : null;
    return { outcome, untold: untold && textOf(untold), sentences: sentencesOf(untold ?? '') };
  }

  /** Asks what it can run now. When another replica is in charge of it, reads what that replica has stored. */
  async refreshOffer(): Promise<void> {
    if (this.#owned) {
      if (this.#owned.monitor.live.alive) await this.#owned.monitor.refreshCapabilities();
      return;
    }
    await this.readOffer();
  }

  /** Reads what the dispatcher, another process, has stored of what the instance can run. */
  async readOffer(): Promise<void> {
    if (this.#owned) return;
    const stored = await this.#options.storedCapabilities();
    if (!stored || this.#owned) return;
    this.#capabilities = stored;
    this.#offer = offerOf(this.#row, stored);
  }

  async #untilOwned(waitMs: number): Promise<void> {
    const waiting = new AbortController();
    const inTime = sleepWithSignal(waitMs, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([inTime, this.#taken.promise]);
    waiting.abort();
  }

  /** Another connection or an error of the gateway ends one time in charge; the next begins by resuming what runs. */
  async #leadAgainAndAgain(lease: Lease): Promise<void> {
    while (!this.#isClosed && !lease.signal.aborted) {
      const stay = linkedAbort(lease.signal);
      this.#stay = stay;
      await this.#lead(lease, stay.signal);
      stay.release();
      this.#owned = null;
      this.#taken = newDeferred();
    }
  }

  async #lead(lease: Lease, signal: AbortSignal): Promise<void> {
    const { takeCharge, log } = this.#options;
    try {
      const token = await takeCharge(this.#row.id, lease);
      if (token !== null && !signal.aborted)
        await this.#own(token).run({ token, signal, stands: lease.stands });
      else await sleepWithSignal(retryHoldMs, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LeaseLost)) {
        log.error({ err: error, instanceId: this.#row.id }, 'looking after an instance failed');
      }
      await sleepWithSignal(retryHoldMs, { signal }).catch(() => undefined);
    }
  }

  #own(token: number): InstanceRunner {
    const { matchmaker, pauses, tasks, attemptDeps, clock, steadyClock, log, newClient } = this.#options;
    const client = newClient(this.#row, (event) => {
      if (event.type === 'worker_restarted') {
        this.#note([{ kind: 'restarted', message: say('replaced') }]);
      }
      runner.notice(event);
    });
    const monitor = new InstanceMonitor({
      client,
      health: this.#health,
      clock,
      steadyClock,
      onChange: () => {
        this.#show();
        runner.reconsider();
      },
      onCapabilities: (capabilities) => this.#learn(capabilities),
      onHearing: (kind, message) => this.#note([{ kind, message }]),
    });
    const runner = new InstanceRunner({
      row: this.#row,
      client,
      monitor,
      matchmaker,
      pauses,
      tasks,
      attemptDeps: {
        ...attemptDeps,
        outputClasses: () => this.#outputClasses,
        serverPatience: () => this.#options.patienceOf(this.#row),
      },
      offer: () => this.#offer,
      candidates: this.#options.candidates,
      onSettled: this.#options.onSettled,
      clock,
      steadyClock,
      log,
    });
    this.#owned = { monitor, runner, token };
    this.#taken.resolve();
    return runner;
  }

  #learn({ nodeClasses, outputClasses, models, inputs, told }: WorkerCapabilities): void {
    const capabilities = { nodeClasses, models, updatedAt: toIso(this.#options.clock()) };
    this.#outputClasses = new Set(outputClasses);
    this.#options.onInputs(inputs);
    this.#options.onNodes(this.#row.id, told);
    if (isSame(this.#capabilities, capabilities)) return;
    const change = changeOfCapabilities(this.#capabilities, capabilities);
    if (change) this.#note([change]);
    this.#capabilities = capabilities;
    this.#offer = offerOf(this.#row, capabilities);
    this.#options.onCapabilities(this.#row.id, capabilities);
  }

  #note(happened: readonly Pick<Occurrence, 'kind' | 'message'>[]): void {
    for (const { kind, message } of happened) {
      this.#options.journal.note({ kind, message, instanceId: this.#row.id });
    }
  }

  /** Writes the row a little later and announces the instance, when something visible has changed. */
  #show(): void {
    if (!this.#owned) return;
    const { token, monitor } = this.#owned;
    const { live } = monitor;
    this.#note(changesOfLive(this.#noted, live));
    this.#noted = live;
    const columns = columnsOf(this.#row, live);
    const shown = JSON.stringify([
      this.#row.enabled,
      columns.alive,
      columns.busy,
      columns.state,
      columns.lastError,
    ]);
    const lasting = JSON.stringify([
      columns.alive,
      restOf(columns.state),
      columns.lastError,
      columns.version,
      columns.devices,
      columns.system,
    ]);
    const hasNewState = columns.state !== this.#row.state;
    if (hasNewState && this.#row.state === 'draining' && columns.state === 'off') {
      this.#note([{ kind: 'drained', message: say('drained') }]);
    }
    if (hasNewState) this.#row = { ...this.#row, state: columns.state, since: toIso(this.#options.clock()) };
    const change = { token, columns: { since: this.#row.since, ...columns } };
    const usual = JSON.stringify([shown, columns.queueRemaining, columns.currentTaskId]);
    const marked = { soon: lasting, usual, rarely: columns.lastHeartbeat };
    const when = (['soon', 'usual', 'rarely'] as const).find((each) => marked[each] !== this.#marked[each]);
    if (when) this.#options.marks.mark(this.#row.id, change, when);
    this.#marked = marked;
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#options.onChange(this.view);
  }
}

/** A state without the difference that each task makes. */
function restOf(state: Instance['state']): string {
  return state === 'busy' ? 'idle' : state;
}

/** Ignores the time of the report. */
function isSame(a: Capabilities | null, b: Capabilities): boolean {
  return JSON.stringify([a?.nodeClasses, a?.models]) === JSON.stringify([b.nodeClasses, b.models]);
}

function offerOf(row: InstanceRow, capabilities: Capabilities | null): Offer {
  return {
    instanceId: row.id,
    tags: JSON.parse(row.tags) as string[],
    capabilities: capabilities && {
      nodeClasses: new Set(capabilities.nodeClasses),
      models: new Map(Object.entries(capabilities.models).map(([input, files]) => [input, new Set(files)])),
    },
  };
}
