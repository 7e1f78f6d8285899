import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import type { ComfyApiJob, ComfyApiProgress } from '@switchyard/contract/doors/comfy-api';
import type {
  DispatchEvent,
  DispatchEvents,
  TaskPreview,
  TaskProgress,
} from '../../dispatch/dispatch-events.ts';
import type { Graph } from '../../dispatch/graphs/graph.ts';
import { BoundedQueue } from '../../lib/async/bounded-queue.ts';
import { encodeEvent } from '../../platform/stream-log/stream-frame.ts';
import { StreamBroken } from '../../platform/stream-log/stream-log.ts';
import { viewProgress } from './job-view.ts';

interface JobEventsOptions {
  jobId: string;
  owner: string;
  events: Pick<DispatchEvents, 'listenTo'>;
  read: () => Promise<TaskDetail>;
  view: (task: TaskDetail) => ComfyApiJob;
  signal: AbortSignal;
}

/** A reader that falls behind by this many events is cut off, and begins again with the state that the job has then. */
const maxWaiting = 1_000;
/** A preview is dropped when this many events wait already; the next one shows more. */
const maxBeforePreview = 8;

/**
 * Yields the state of the job, then its events, until it has ended. The outputs come before the final status, after
 * which clients stop reading.
 */
export async function* jobEvents(options: JobEventsOptions): AsyncGenerator<Buffer, void, undefined> {
  const { jobId, owner, events, read, view, signal } = options;
  const queue = new BoundedQueue<DispatchEvent>(maxWaiting);
  const take = (event: DispatchEvent): void => {
    if (event.type === 'task_preview' && queue.size >= maxBeforePreview) return;
    if (!queue.push(event)) queue.end(new StreamBroken('overtaken'));
  };
  const stop = events.listenTo(jobId, take, { reportsWanted: () => [owner] });
  const onAbort = () => queue.end();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const task = await read();
    yield* snapshotOf(view(task));
    if (task.phase === 'ended' || signal.aborted) return;
    const progress = new ShownProgress(task);
    for await (const event of queue) {
      if (event.type === 'task_ended') return yield* snapshotOf(view(await read()));
      yield* eventsOf(event, progress);
    }
  } finally {
    stop();
    signal.removeEventListener('abort', onAbort);
  }
}

function* snapshotOf({ status, queue_position, progress, outputs }: ComfyApiJob): Generator<Buffer> {
  if (progress) yield encode('progress', progress);
  for (const output of outputs) yield encode('output', output);
  yield encode('status', { status, queue_position });
}

function* eventsOf(event: DispatchEvent, progress: ShownProgress): Generator<Buffer> {
  switch (event.type) {
    case 'task_started':
      yield encode('status', { status: 'running', queue_position: null });
      return;
    case 'task_requeued':
      yield encode('status', { status: 'queued', queue_position: null });
      return;
    case 'task_execution':
      if (event.event.type === 'node_started') progress.begin(event.event.topNodeId);
      return;
    case 'task_progress':
      yield encode('progress', progress.take(event.progress));
      return;
    case 'task_preview':
      yield encode('preview', previewOf(event.preview, progress.nodeId));
      return;
    default:
  }
}

function previewOf({ node, mediaType, bytes }: TaskPreview, running: string | null) {
  return {
    node_id: node ?? running ?? '',
    content_type: mediaType,
    data_base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  };
}

/** Progress never falls for a reader, even when the job begins again on another worker. */
class ShownProgress {
  readonly #graph: Graph;
  #percent: number;
  nodeId: string | null = null;

  constructor({ workflow, progress }: TaskDetail) {
    this.#graph = workflow as Graph;
    this.#percent = progress;
  }

  begin(nodeId: string): void {
    this.nodeId = nodeId;
  }

  take({ progress, node, step, steps }: TaskProgress): ComfyApiProgress {
    this.#percent = Math.max(this.#percent, progress);
    const id = this.nodeId;
    const nodeClass = id !== null && Object.hasOwn(this.#graph, id) ? this.#graph[id]?.class_type : null;
    return {
      ...viewProgress(this.#percent, this.#graph),
      current_node: id,
      current_node_class: nodeClass ?? null,
      step: step ?? null,
      steps: steps ?? null,
      message: node ?? null,
    };
  }
}

function encode(event: string, data: object): Buffer {
  return encodeEvent({ event, data: JSON.stringify(data) });
}
