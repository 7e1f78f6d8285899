import type { DispatchEvent, DispatchEvents } from '../../dispatch/dispatch-events.ts';
import type { PushSocket } from '../../dispatch/push/push-socket.ts';
import type { RunningNodes } from '../../dispatch/replicas/running-nodes.ts';
import type { TaskPromptRow } from '../../dispatch/tables.ts';
import type { PromptStore } from '../../dispatch/tasks/prompt-store.ts';
import type { TaskStore } from '../../dispatch/tasks/task-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { executingFrame, framesOf, type PromptFrame, previewFrame, statusFrame } from './prompt-frames.ts';

interface FeedOptions {
  events: DispatchEvents;
  prompts: Pick<PromptStore, 'of'>;
  tasks: Pick<TaskStore, 'counts' | 'rowsOf'>;
  running: Pick<RunningNodes, 'of'>;
  /** Called when the first client of an account has come, whose tasks another replica may run. */
  lookAtReports: () => void;
  clock: Clock;
  onFault: (error: unknown) => void;
}

/** One client of ComfyUI with its socket. */
export interface PromptClient {
  push: PushSocket;
  userId: string;
  clientId: string;
  /** It has announced that it reads previews that name their node. */
  readsPreviewMetadata: boolean;
}

type Delivery = (address: TaskPromptRow) => void;

interface OpenPrompt {
  owner: string;
  /** Null while it waits: thousands may wait, and those that are watched are read every two seconds. */
  stopWatching: (() => void) | null;
}

/** Prompts whose clients are remembered; an older one is looked up again. */
const maxKnown = 20_000;
/** Frames of one prompt that wait until it is known whose it is. */
const maxHeld = 500;
const rowsAtOnce = 500;

/** Tells each client of ComfyUI what becomes of the prompts that it has sent, and how many prompts its account has. */
export class PromptFeed {
  readonly #options: FeedOptions;
  readonly #clients = new Map<string, Set<PromptClient>>();
  /** Null for a task that no client of ComfyUI has sent. */
  readonly #known = new Map<string, TaskPromptRow | null>();
  readonly #held = new Map<string, Delivery[]>();
  /** The prompts of connected clients. When the event of their end is lost, the rows still have it. */
  readonly #open = new Map<string, OpenPrompt>();
  /** The clients that wait to learn which node runs, with the tasks for which they have received a later node. */
  readonly #joining = new Map<PromptClient, Set<string>>();
  /** Accounts whose count is being read, and whether it has changed since. */
  readonly #counting = new Map<string, { hasChanged: boolean }>();
  readonly #stop: () => void;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#stop = options.events.listen((event) => this.#notice(event), {
      followsTasks: (owner) => (owner === undefined ? this.#clients.size > 0 : this.#clients.has(owner)),
      reportsWanted: () => [...this.#clients.keys()],
    });
  }

  close(): void {
    this.#stop();
    for (const taskId of this.#open.keys()) this.#forget(taskId);
  }

  countOf(userId: string): number {
    return this.#clients.get(userId)?.size ?? 0;
  }

  /** The first frame has the number of prompts of the account. A client that comes back gets the node that runs. */
  async add(client: PromptClient): Promise<void> {
    const ofUser = this.#clients.get(client.userId) ?? new Set();
    this.#clients.set(client.userId, ofUser.add(client));
    if (ofUser.size === 1) this.#options.lookAtReports();
    this.#tellRunning(client).catch(this.#options.onFault);
    const remaining = await this.remainingOf(client.userId);
    if (!ofUser.has(client)) return;
    client.push.begin([forSocket(statusFrame(remaining, client.clientId), client.userId)]);
  }

  remove(client: PromptClient): void {
    const ofUser = this.#clients.get(client.userId);
    ofUser?.delete(client);
    if (ofUser?.size !== 0) return;
    this.#clients.delete(client.userId);
    for (const [taskId, { owner }] of this.#open) if (owner === client.userId) this.#forget(taskId);
  }

  async remainingOf(userId: string): Promise<number> {
    const { pending, running } = await this.#options.tasks.counts(userId);
    return pending + running;
  }

  /**
   * Holds the frames of a new prompt until the returned function is called: a client that gets an event of a prompt
   * before it has the answer to its request does not know it yet.
   */
  hold(address: TaskPromptRow): () => void {
    this.#remember(address.taskId, address);
    const held: Delivery[] = [];
    this.#held.set(address.taskId, held);
    return () => this.#release(address.taskId, held);
  }

  #notice(event: DispatchEvent): void {
    if (event.type === 'news_lost') this.#catchUp().catch(this.#options.onFault);
    const subject = subjectOf(event);
    if (subject === null) return;
    const { taskId, owner } = subject;
    if (!this.#clients.has(owner)) return;
    if (event.type === 'task_created' || event.type === 'task_ended') this.#tellCount(owner);
    this.#deliver(taskId, (address) => this.#send(event, address));
  }

  #keepOpen({ taskId, owner }: TaskPromptRow, hasStarted: boolean): void {
    const known = this.#open.get(taskId);
    if (known?.stopWatching || (known && !hasStarted)) return;
    const watch = () =>
      this.#options.events.listenTo(taskId, (event) => {
        // The other events of the task come with those of all tasks.
        if (event.type === 'task_ended') this.#notice(event);
      });
    this.#open.set(taskId, { owner, stopWatching: hasStarted ? watch() : null });
  }

  #forget(taskId: string): void {
    this.#open.get(taskId)?.stopWatching?.();
    this.#open.delete(taskId);
  }

  /** A prompt that waited may have run meanwhile. */
  async #catchUp(): Promise<void> {
    for (const owner of this.#clients.keys()) this.#tellCount(owner);
    const open = [...this.#open.keys()];
    for (let start = 0; start < open.length; start += rowsAtOnce) {
      for (const task of await this.#options.tasks.rowsOf(open.slice(start, start + rowsAtOnce)))
        if (task.phase === 'ended') this.#notice({ type: 'task_ended', task });
    }
  }

  async #tellRunning(client: PromptClient): Promise<void> {
    const later = new Set<string>();
    this.#joining.set(client, later);
    try {
      const running = await this.#options.running.of(client.userId);
      const addresses = await this.#options.prompts.of(running.map(({ taskId }) => taskId));
      for (const { taskId, nodeId, topNodeId } of running) {
        const address = addresses.get(taskId);
        if (address?.clientId !== client.clientId || later.has(taskId)) continue;
        offer(client, executingFrame(address.promptId, nodeId, topNodeId));
      }
    } finally {
      this.#joining.delete(client);
    }
  }

  #deliver(taskId: string, delivery: Delivery): void {
    const held = this.#held.get(taskId);
    if (held) {
      if (held.length < maxHeld) held.push(delivery);
      return;
    }
    const address = this.#known.get(taskId);
    if (address) delivery(address);
    if (address !== undefined) return;
    const waiting = [delivery];
    this.#held.set(taskId, waiting);
    this.#options.prompts
      .of([taskId])
      .then((found) => this.#remember(taskId, found.get(taskId) ?? null), this.#options.onFault)
      .finally(() => this.#release(taskId, waiting));
  }

  #release(taskId: string, held: readonly Delivery[]): void {
    if (this.#held.get(taskId) === held) this.#held.delete(taskId);
    for (const delivery of held) {
      const address = this.#known.get(taskId);
      if (address) delivery(address);
    }
  }

  #remember(taskId: string, address: TaskPromptRow | null): void {
    this.#known.set(taskId, address);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest);
  }

  #send(event: DispatchEvent, address: TaskPromptRow): void {
    const clients = [...(this.#clients.get(address.owner) ?? [])].filter(
      ({ clientId }) => clientId === address.clientId,
    );
    if (event.type === 'task_ended') {
      this.#forget(address.taskId);
      // Its end may come twice, from an event and from the rows.
      this.#remember(address.taskId, null);
    }
    if (clients.length === 0) return;
    if (event.type !== 'task_ended') this.#keepOpen(address, event.type !== 'task_created');
    if (changesNode(event)) for (const client of clients) this.#joining.get(client)?.add(address.taskId);
    const frames = framesOf(event, address, this.#options.clock());
    for (const client of clients) {
      for (const each of frames) offer(client, each);
      const preview =
        event.type === 'task_preview' && previewFrame(event.preview, address, client.readsPreviewMetadata);
      if (preview) offer(client, preview);
    }
  }

  /** One read at a time for an account; what changes meanwhile is read after it. */
  #tellCount(userId: string): void {
    const counting = this.#counting.get(userId);
    if (counting) {
      counting.hasChanged = true;
      return;
    }
    this.#counting.set(userId, { hasChanged: false });
    this.remainingOf(userId)
      .then((remaining) => {
        for (const client of this.#clients.get(userId) ?? []) offer(client, statusFrame(remaining));
      }, this.#options.onFault)
      .finally(() => {
        const hasChanged = this.#counting.get(userId)?.hasChanged;
        this.#counting.delete(userId);
        if (hasChanged) this.#tellCount(userId);
      });
  }
}

function subjectOf(event: DispatchEvent): { taskId: string; owner: string } | null {
  switch (event.type) {
    case 'task_created':
    case 'task_started':
    case 'task_requeued':
    case 'task_ended':
      return { taskId: event.task.id, owner: event.task.owner };
    case 'task_execution':
    case 'task_preview':
      return event;
    default:
      return null;
  }
}

/** Returns whether another node runs after this event than before, or none. */
function changesNode(event: DispatchEvent): boolean {
  return event.type === 'task_execution'
    ? event.event.type === 'node_started'
    : event.type !== 'task_preview';
}

function offer(client: PromptClient, frame: PromptFrame): void {
  client.push.offer(forSocket(frame, client.userId));
}

function forSocket(frame: PromptFrame, owner: string) {
  return { ...frame, topic: 'tasks', owner, taskId: null } as const;
}
