import type { MarkedFile } from '@switchyard/contract/dispatch/file';
import type { Instance } from '@switchyard/contract/dispatch/instance';
import type { ThreadNews } from '@switchyard/contract/dispatch/push';
import type { Settings } from '@switchyard/contract/dispatch/settings';
import type { ShareKind } from '@switchyard/contract/dispatch/share';
import type { FileTable, QueuePauseRow, TaskRow } from './tables.ts';

/** Everything that happens in the area, announced after it is on disk; starts and progress are announced before. */
export type DispatchEvent =
  /** `waits`: its place in the queue; null for news of a task that waits no more. */
  | { type: 'task_created'; task: TaskRow; waits: QueuePlace | null }
  /** A runner has taken it out of the queue. */
  | { type: 'task_claimed'; taskId: string }
  | { type: 'task_started'; task: TaskRow }
  | { type: 'task_progress'; taskId: string; owner: string; requestId: string | null; progress: TaskProgress }
  /** Its worker is asked to stop. */
  | { type: 'task_stopping'; taskId: string; owner: string }
  | { type: 'task_requeued'; task: TaskRow; delayMs: number }
  | { type: 'task_ended'; task: TaskRow }
  /** A report of the worker on its nodes. Like previews, it reaches another replica only while a listener there wants it. */
  | { type: 'task_execution'; taskId: string; owner: string; event: NodeEvent }
  | { type: 'task_preview'; taskId: string; owner: string; preview: TaskPreview }
  | { type: 'instance_changed'; instance: Instance }
  | { type: 'task_moved'; task: TaskRow; position: number | null }
  | { type: 'queue_changed'; change: 'paused' | 'resumed'; pause: QueuePauseRow }
  | { type: 'instance_removed'; instanceId: string }
  /** The instance can run other things than before. */
  | { type: 'instance_learned'; instanceId: string }
  /** Rows of instances were added or changed by an administrator. */
  | { type: 'fleet_changed' }
  | { type: 'batch_finished'; batchId: string }
  /** Other things than tasks: cells were refused or stopped, or it waits for room. */
  | { type: 'sweep_changed'; sweepId: string; owner: string }
  | { type: 'settings_changed'; settings: Settings }
  | { type: 'files_created'; owner: string; files: NewFile[] }
  | { type: 'files_deleted'; owner: string; fileIds: string[] }
  | { type: 'files_marked'; owner: string; files: MarkedFile[] }
  | { type: 'collection_changed'; owner: string; collectionId: string }
  /** `owner`: the user who hears of it, its owner or a receiver; null when it is shared with everyone. */
  | { type: 'share_changed'; owner: string | null; kind: ShareKind; subjectId: string }
  /** News of the conversation area, which has no push of its own. */
  | { type: 'thread_news'; owner: string; news: ThreadNews }
  /** Other replicas have changed tasks that no one here follows. */
  | { type: 'tasks_changed' }
  /** Events of other replicas did not arrive: the rows have the changes. */
  | { type: 'news_lost' };

/** What the queue needs to know of a task that waits. */
export interface QueuePlace {
  id: string;
  owner: string;
  priority: number;
  createdAtMs: number;
  /** When it was moved to the front of its owner's line; null when it never was. */
  frontMs: number | null;
  /** The attempt number in the row; claiming the task increases it by one. */
  attempt: number;
  fingerprint: string;
  /** The node classes and files that it needs from the worker that runs it. */
  requirement: {
    nodeClasses: readonly string[];
    models: readonly { input: string; model: string }[];
    /** The task runs only on an instance of a server with this tag. */
    pool: string | null;
    pinnedInstanceId: string | null;
  };
}

export type NewFile = Pick<
  FileTable,
  | 'id'
  | 'filename'
  | 'sha256'
  | 'size'
  | 'contentType'
  | 'source'
  | 'taskId'
  | 'width'
  | 'height'
  | 'createdAt'
>;

/** The progress of the nodes of a task, as its worker reports it. */
export type NodeEvent =
  | { type: 'nodes_cached'; nodeIds: readonly string[] }
  | { type: 'node_started'; nodeId: string; topNodeId: string }
  | { type: 'node_progress'; nodeId: string; value: number; max: number }
  | {
      type: 'progress_snapshot';
      nodes: readonly {
        nodeId: string;
        topNodeId: string;
        value: number;
        max: number;
        isFinished: boolean;
      }[];
    };

export interface TaskProgress {
  progress: number;
  node?: string;
  step?: number;
  steps?: number;
}

export interface TaskPreview {
  node?: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** `isNews`: it happened in another replica, which does what has to be done once. */
type Listener = (event: DispatchEvent, isNews: boolean) => void;

/** The events that a listener wants of the other replicas. */
interface Interest {
  /** Returns whether it has a use for the tasks of this user now; without a user, for those of any. */
  followsTasks?: (owner?: string) => boolean;
  /** Returns the users whose previews and reports of nodes it shows now; null for all users. */
  reportsWanted?: () => readonly string[] | null;
}

/**
 * The one place that every change passes: push, waiting requests, monitoring and webhooks all listen here. A listener
 * returns at once; one that throws is reported and does not hold up the others.
 */
export class DispatchEvents {
  readonly #listeners = new Set<Listener>();
  /** Listeners by task: thousands of clients that each wait for one task cost nothing while other tasks run. */
  readonly #listenersOf = new Map<string, Set<Listener>>();
  readonly #interests = new Set<Interest>();
  readonly #reportFault: (error: unknown, event: DispatchEvent) => void;

  constructor(reportFault: (error: unknown, event: DispatchEvent) => void) {
    this.#reportFault = reportFault;
  }

  listen(listener: Listener, interest: Interest = {}): () => void {
    this.#listeners.add(listener);
    this.#interests.add(interest);
    return () => {
      this.#listeners.delete(listener);
      this.#interests.delete(interest);
    };
  }

  /** Listens to the events of one task. */
  listenTo(taskId: string, listener: Listener, interest?: Interest): () => void {
    const listeners = this.#listenersOf.get(taskId) ?? new Set();
    this.#listenersOf.set(taskId, listeners.add(listener));
    if (interest) this.#interests.add(interest);
    return () => {
      if (interest) this.#interests.delete(interest);
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listenersOf.get(taskId) === listeners)
        this.#listenersOf.delete(taskId);
    };
  }

  /** Listens to what happens in this process, and not to the news of other replicas. */
  listenHere(listener: (event: DispatchEvent) => void): () => void {
    return this.listen((event, isNews) => {
      if (!isNews) listener(event);
    });
  }

  /** Returns false when no one here has a use for the row of a task that another replica has reported. */
  isFollowed(taskId: string, owner?: string): boolean {
    return this.#listenersOf.has(taskId) || this.followsTasksOf(owner);
  }

  /** Returns true while a listener has a use for what other replicas report of this user; without one, of any. */
  followsTasksOf(owner?: string): boolean {
    for (const { followsTasks } of this.#interests) if (followsTasks?.(owner)) return true;
    return false;
  }

  /** Returns true while someone here has a use for what other replicas report about tasks. */
  get isFollowing(): boolean {
    return this.#listenersOf.size > 0 || this.followsTasksOf();
  }

  /** The users whose previews and reports of nodes someone here shows; null for all users. */
  get reportsWanted(): string[] | null {
    const owners = new Set<string>();
    for (const { reportsWanted = () => [] } of this.#interests) {
      const wanted = reportsWanted();
      if (wanted === null) return null;
      for (const owner of wanted) owners.add(owner);
    }
    return [...owners].sort();
  }

  /** The tasks that someone waits for or watches. */
  get watchedTasks(): string[] {
    return [...this.#listenersOf.keys()];
  }

  announce(event: DispatchEvent): void {
    this.#tellAll(event, false);
  }

  /** Passes on what another replica has announced. */
  passOn(event: DispatchEvent): void {
    this.#tellAll(event, true);
  }

  /** Tells only who waits for the task or watches it. */
  tellWatchers(event: DispatchEvent & { task: TaskRow }): void {
    for (const listener of this.#listenersOf.get(event.task.id) ?? []) this.#tell(listener, event, true);
  }

  #tellAll(event: DispatchEvent, isNews: boolean): void {
    const taskId = taskIdOf(event);
    for (const listener of this.#listeners) this.#tell(listener, event, isNews);
    for (const listener of (taskId && this.#listenersOf.get(taskId)) || [])
      this.#tell(listener, event, isNews);
  }

  #tell(listener: Listener, event: DispatchEvent, isNews: boolean): void {
    try {
      listener(event, isNews);
    } catch (error) {
      this.#reportFault(error, event);
    }
  }
}

function taskIdOf(event: DispatchEvent): string | null {
  if ('task' in event) return event.task.id;
  return 'taskId' in event ? event.taskId : null;
}
