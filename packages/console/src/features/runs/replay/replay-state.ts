import type {
  ReplayTrack,
  TrackAttempt,
  TrackCall,
  TrackFile,
  TrackItem,
  TrackMessage,
  TrackTask,
} from './replay-track.ts';

export interface ShownTask {
  taskId: string;
  name: string | null;
  state: 'waiting' | 'running' | TrackTask['outcome'];
  /** 0 to 100; 100 only when it is done. */
  percent: number;
  node: string | null;
  instanceName: string | null;
  attempt: number;
  error: string | null;
  files: readonly TrackFile[];
}

export interface ShownCall {
  type: 'call';
  id: string;
  name: string;
  args: unknown;
  state: 'waiting' | 'running' | 'done' | 'failed';
  result: string | null;
  steps: readonly string[];
  tasks: readonly ShownTask[];
}

export type ShownItem = TrackMessage | ShownCall;

/** The content of the page at one moment. */
export interface ReplayState {
  items: readonly ShownItem[];
  isModelAtWork: boolean;
  /** Null while the run goes on. */
  end: ReplayTrack['end'];
}

/** The same track and time give the same state, whichever way the time was reached. */
export function stateAt(track: ReplayTrack, ms: number): ReplayState {
  return {
    items: track.items.filter(({ atMs }) => atMs <= ms).map((item) => itemAt(item, ms)),
    isModelAtWork: track.modelCalls.some(({ startMs, endMs }) => isWithin({ startMs, endMs }, ms)),
    end: track.end && track.end.atMs <= ms ? track.end : null,
  };
}

/** Ascending moments at which something that is shown changes. */
export function momentsOf({ items, modelCalls, end, fromMs, toMs }: ReplayTrack): number[] {
  const all = [
    fromMs,
    toMs,
    ...items.flatMap((item) => (item.type === 'call' ? callMoments(item) : [item.atMs])),
    ...modelCalls.flatMap(({ startMs, endMs }) => [startMs, endMs]),
    end?.atMs ?? null,
  ];
  return [...new Set(all.filter((ms) => ms !== null))].sort((one, other) => one - other);
}

function itemAt(item: TrackItem, ms: number): ShownItem {
  if (item.type !== 'call') return item;
  const { type, id, name, args, result } = item;
  return {
    type,
    id,
    name,
    args,
    state: callState(item, ms),
    result: result && result.atMs <= ms ? result.text : null,
    steps: item.steps.filter(({ atMs }) => atMs <= ms).map(({ text }) => text),
    tasks: item.tasks.filter(({ startMs }) => startMs <= ms).map((task) => taskAt(task, ms)),
  };
}

function callState({ startMs, endMs, isError }: TrackCall, ms: number): ShownCall['state'] {
  if (endMs !== null && endMs <= ms) return isError ? 'failed' : 'done';
  return startMs !== null && startMs <= ms ? 'running' : 'waiting';
}

function taskAt(task: TrackTask, ms: number): ShownTask {
  const { taskId, name, outcome, endMs } = task;
  const begun = task.attempts.filter(({ startMs }) => startMs <= ms);
  const attempt = begun.at(-1);
  const isEnded = endMs !== null && endMs <= ms;
  const isRunning = attempt !== undefined && isWithin(attempt, ms);
  const node = isRunning ? attempt.nodes.findLast((each) => isWithin(each, ms)) : undefined;
  return {
    taskId,
    name,
    state: isEnded ? outcome : isRunning ? 'running' : 'waiting',
    percent: isEnded && outcome === 'done' ? 100 : attempt ? percentOf(attempt, ms) : 0,
    node: isEnded ? null : (node?.name ?? null),
    instanceName: attempt?.instanceName ?? null,
    attempt: begun.length,
    error: isEnded ? task.error : null,
    files: task.files.filter(({ atMs }) => atMs <= ms),
  };
}

/** By finished nodes. It stays below 100 until the task is stored as done. */
function percentOf({ nodes }: TrackAttempt, ms: number): number {
  if (nodes.length === 0) return 0;
  const finished = nodes.filter(({ endMs }) => endMs !== null && endMs <= ms).length;
  return Math.min(99, Math.floor((finished / nodes.length) * 100));
}

function isWithin({ startMs, endMs }: { startMs: number; endMs: number | null }, ms: number): boolean {
  return startMs <= ms && (endMs === null || ms < endMs);
}

function callMoments({ atMs, startMs, endMs, result, steps, tasks }: TrackCall): (number | null)[] {
  return [
    atMs,
    startMs,
    endMs,
    result?.atMs ?? null,
    ...steps.map((step) => step.atMs),
    ...tasks.flatMap((task) => [
      task.startMs,
      task.endMs,
      ...task.files.map((file) => file.atMs),
      ...task.attempts.flatMap((attempt) => [
        attempt.startMs,
        attempt.endMs,
        ...attempt.nodes.flatMap((node) => [node.startMs, node.endMs]),
      ]),
    ]),
  ];
}
