import { pushLimits } from '@switchyard/contract/dispatch/push';
import { Throttle } from '../../lib/async/throttle.ts';
import type { Timer } from '../../lib/async/timer.ts';
import { toIso } from '../../lib/clock.ts';
import { newSecret } from '../../lib/ids.ts';
import type { ReadTogether } from '../../platform/database/snapshot.ts';
import type { DispatchEvent } from '../dispatch-events.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { Instances } from '../fleet/instances.ts';
import type { InstanceStore } from '../instances/instance-store.ts';
import type { Pauses } from '../queue/pauses.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { KeptFrames, type MissedFrames } from './kept-frames.ts';
import { encodeFrame, frameOf, type PushFrame } from './push-frames.ts';
import type { PushSocket } from './push-socket.ts';

const instanceIntervalMs = 100;
const globalIntervalMs = 1_000;
/** Events after which `global_status` is what it was before. */
const beside: readonly DispatchEvent['type'][] = [
  'task_stopping',
  'instance_learned',
  'batch_finished',
  'sweep_changed',
  'files_marked',
  'collection_changed',
  'share_changed',
];

interface PushHubOptions extends Pick<DispatchParts, 'events' | 'links' | 'clock' | 'steadyClock'> {
  together: ReadTogether<{ instances: Pick<InstanceStore, 'list'>; tasks: Pick<TaskStore, 'counts'> }>;
  instances: Pick<Instances, 'view'>;
  pauses: Pick<Pauses, 'whole' | 'pools'>;
  onFault: (error: unknown) => void;
  timer?: Timer;
  /** Told apart from those of other processes in cursors. */
  epoch?: string;
}

/** Turns each event into one frame and offers it to every socket. */
export class PushHub {
  readonly #options;
  /** Each with the key under which its `global_status` is throttled. */
  readonly #sockets = new Map<PushSocket, string>();
  #joined = 0;
  readonly #progress: Throttle;
  readonly #instances: Throttle;
  readonly #global: Throttle;
  /** One snapshot serves all sockets, but each socket got its last one at another time. */
  readonly #globalOf: Throttle;
  #lastGlobal: PushFrame | null = null;
  readonly #kept: KeptFrames;
  readonly #stop: () => void;

  constructor(options: PushHubOptions) {
    this.#options = options;
    const times = { clock: options.steadyClock, ...(options.timer && { timer: options.timer }) };
    this.#progress = new Throttle({ intervalMs: 1_000 / pushLimits.progressPerSecond, ...times });
    this.#instances = new Throttle({ intervalMs: instanceIntervalMs, ...times });
    this.#global = new Throttle({ intervalMs: globalIntervalMs, ...times });
    this.#globalOf = new Throttle({ intervalMs: globalIntervalMs, ...times });
    this.#kept = new KeptFrames({
      epoch: options.epoch ?? newSecret(6),
      ...(options.timer && { timer: options.timer }),
    });
    this.#stop = options.events.listen((event) => this.#notice(event), {
      // Each socket keeps frames, and they stay for a while after it.
      followsTasks: (owner) => (owner === undefined ? this.#isNeeded : this.#kept.isNeededFor(owner)),
      reportsWanted: () => this.previewsWanted,
    });
  }

  get size(): number {
    return this.#sockets.size;
  }

  countOf(userId: string): number {
    let count = 0;
    for (const socket of this.#sockets.keys()) if (socket.userId === userId) count += 1;
    return count;
  }

  /** The users whose previews a socket wants; null when one wants those of all users. */
  get previewsWanted(): string[] | null {
    const owners = new Set<string>();
    for (const { previewsOf } of this.#sockets.keys()) {
      if (previewsOf === 'all') return null;
      if (previewsOf) owners.add(previewsOf.user);
    }
    return [...owners];
  }

  /**
   * The snapshot is the first message. What the client missed since its cursor follows, then changes from now on,
   * including those while the snapshot is read.
   */
  async add(socket: PushSocket, since: string | null = null): Promise<void> {
    this.#joined += 1;
    const key = String(this.#joined);
    this.#sockets.set(socket, key);
    this.#kept.enter(socket.reader);
    const cursor = this.#kept.cursor;
    const missed = since === null ? null : this.#kept.after(socket.reader, since);
    const lastBefore = this.#lastGlobal;
    // A connection that breaks before the missed messages are sent is resumed at the same place again.
    const snapshot = await this.#globalStatus(missed && 'frames' in missed && since ? since : cursor);
    if (!this.#sockets.has(socket)) return;
    this.#globalOf.run(key, () =>
      socket.begin([snapshot, ...(missed ? this.#again(socket, missed, cursor) : [])]),
    );
    // The snapshot may be the older of the two.
    const last = this.#lastGlobal;
    if (last && last !== lastBefore) this.#globalOf.run(key, () => socket.offer(last));
  }

  remove(socket: PushSocket): void {
    const key = this.#sockets.get(socket);
    if (key === undefined) return;
    this.#sockets.delete(socket);
    this.#kept.leave(socket.reader);
    this.#globalOf.forget(key);
    // Without sockets the events of their ends, by which tasks are forgotten, do not arrive.
    if (this.#sockets.size === 0) this.#progress.forgetAll();
  }

  /** For sockets, and for clients that may come back and ask for what they have missed. */
  get #isNeeded(): boolean {
    return this.#sockets.size > 0 || this.#kept.isNeeded;
  }

  close(): void {
    this.#stop();
    this.#kept.close();
    for (const throttle of [this.#progress, this.#instances, this.#global, this.#globalOf]) throttle.close();
  }

  #notice(event: DispatchEvent): void {
    // Neither has a frame, and the numbers change with the start or the progress that follows.
    if (event.type === 'task_claimed' || event.type === 'task_execution') return;
    if (event.type === 'task_ended') this.#progress.finish(event.task.id);
    if (event.type === 'instance_removed') this.#instances.forget(event.instanceId);
    if (!this.#isNeeded) return;
    if (event.type === 'news_lost') {
      this.#resync();
      return;
    }
    if (event.type === 'task_preview') {
      // Workers send many, few sockets want them, and making the message copies the picture.
      if (this.#isPreviewWanted(event)) this.#send(event);
      return;
    }
    if (event.type === 'task_progress') {
      // It is not kept for clients that come back.
      if (this.#sockets.size > 0) this.#progress.run(event.taskId, () => this.#send(event));
      return;
    }
    if (event.type === 'instance_changed') {
      this.#instances.run(event.instance.id, () => this.#send(event));
    } else {
      this.#send(event);
    }
    if (!beside.includes(event.type)) this.#global.run('global', () => this.#sendGlobalStatus());
  }

  #isPreviewWanted({ owner, taskId }: Extract<DispatchEvent, { type: 'task_preview' }>): boolean {
    for (const socket of this.#sockets.keys())
      if (socket.wants({ topic: 'previews', owner, taskId })) return true;
    return false;
  }

  #send(event: DispatchEvent): void {
    const { clock, links } = this.#options;
    const frame = frameOf(event, { timestamp: clock(), links, cursor: this.#kept.nextCursor() });
    if (!frame) return;
    if (frame.replaces === null) this.#kept.keep(frame);
    this.#offer(frame);
  }

  #offer(frame: PushFrame): void {
    for (const socket of this.#sockets.keys()) socket.offer(frame);
  }

  #again(socket: PushSocket, missed: MissedFrames, cursor: string): PushFrame[] {
    const meta = { timestamp: this.#options.clock(), cursor };
    const ofEach = { topic: 'global', owner: null, taskId: null, replaces: null } as const;
    if ('resync' in missed) {
      return [{ ...ofEach, payload: encodeFrame('resync', { reason: missed.resync }, meta) }];
    }
    const frames = missed.frames.filter((frame) => socket.wants(frame));
    return [...frames, { ...ofEach, payload: encodeFrame('resumed', { frames: frames.length }, meta) }];
  }

  /** Events were lost on their way to this process: clients have to read what they show. */
  #resync(): void {
    const meta = { timestamp: this.#options.clock(), cursor: this.#kept.nextCursor() };
    const payload = encodeFrame('resync', { reason: 'too_old' }, meta);
    const frame: PushFrame = { topic: 'global', owner: null, taskId: null, replaces: null, payload };
    this.#kept.keep(frame);
    this.#offer(frame);
    this.#global.run('global', () => this.#sendGlobalStatus());
  }

  #sendGlobalStatus(): void {
    this.#globalStatus().then((frame) => this.#offerGlobal(frame), this.#options.onFault);
  }

  #offerGlobal(frame: PushFrame): void {
    this.#lastGlobal = frame;
    for (const [socket, key] of this.#sockets) {
      if (socket.hasBegun) this.#globalOf.run(key, () => socket.offer(frame));
    }
  }

  async #globalStatus(cursor?: string): Promise<PushFrame> {
    const { instances, pauses, clock } = this.#options;
    const { rows, counts } = await this.#options.together(async (stores) => ({
      counts: await stores.tasks.counts(),
      rows: await stores.instances.list(),
    }));
    const timestamp = clock();
    const { whole } = pauses;
    const data = {
      instances: rows.map((row) => instances.view(row)),
      tasks: counts,
      paused: whole && { since: whole.since, reason: whole.reason },
      pausedPools: pauses.pools,
      serverTime: toIso(timestamp),
    };
    const payload = encodeFrame('global_status', data, { timestamp, ...(cursor && { cursor }) });
    return { topic: 'global', owner: null, taskId: null, replaces: 'global', payload };
  }
}
