import { Readable } from 'node:stream';
import type { DispatchEvents, NodeEvent } from '../dispatch-events.ts';
import { type Graph, nodeTitle, plannedNodes, reachableFrom } from '../graphs/graph.ts';
import type { ExecutionEvent } from '../worker-client/worker-event.ts';
import type { AttemptRecord } from './attempt-record.ts';
import type { KeptOutput, OutputToKeep } from './collect-outputs.ts';
import { ExecutionProgress } from './progress.ts';

/** The limits of one execution: a worker that sends more must not fill the gateway's memory. */
const maxTexts = 1_000;
const maxImages = 2_000;
/** Limits the images that have arrived and are not on disk yet. */
const maxWaitingBytes = 128 * 1024 * 1024;

/**
 * The reports of an execution while it runs: progress and previews for watchers, and results that exist only as a
 * message.
 */
export class ExecutionReports {
  readonly #options;
  readonly #texts: { nodeId: string; text: string }[] = [];
  readonly #images: { nodeId: string; kept: Promise<KeptOutput | null> }[] = [];
  #waitingBytes = 0;
  #graph: Graph = {};
  #progress = new ExecutionProgress(new Set());

  constructor(options: {
    record: AttemptRecord;
    events: DispatchEvents;
    keep: (source: Readable, output: OutputToKeep) => Promise<KeptOutput>;
  }) {
    this.#options = options;
  }

  /** Texts that came over the event socket; on most workers the history has them too. */
  get texts(): readonly { nodeId: string; text: string }[] {
    return this.#texts;
  }

  /** Images that came over the event socket and exist nowhere else; null for an image that could not be stored. */
  get images(): readonly { nodeId: string; kept: Promise<KeptOutput | null> }[] {
    return this.#images;
  }

  begin(
    graph: Graph,
    { targets, outputClasses }: { targets: string[] | null; outputClasses: ReadonlySet<string> | null },
  ): void {
    this.#graph = graph;
    this.#options.record.beginNodes((nodeId) => Object.hasOwn(graph, nodeId));
    const planned = targets ? reachableFrom(graph, targets) : plannedNodes(graph, outputClasses);
    this.#progress = new ExecutionProgress(planned, this.#options.record.row.progress);
  }

  takeIn(event: ExecutionEvent): void {
    const { record } = this.#options;
    record.markExecuting();
    record.noteNode(event);
    if (event.type === 'image_output') this.#keepImage(event);
    if (event.type === 'node_text' && this.#texts.length < maxTexts) this.#texts.push(event);
    if (event.type === 'preview') this.#showPreview(event);
    if (isOfNodes(event)) this.#tellOfNodes(event);
    if (this.#progress.apply(event)) this.#showProgress();
  }

  #keepImage({ nodeId, mediaType, bytes }: Extract<ExecutionEvent, { type: 'image_output' }>): void {
    if (this.#images.length >= maxImages) return;
    const hasRoom = this.#waitingBytes + bytes.byteLength <= maxWaitingBytes;
    this.#images.push({
      nodeId,
      kept: hasRoom ? this.#store(nodeId, mediaType, bytes) : Promise.resolve(null),
    });
  }

  async #store(nodeId: string, mediaType: string, bytes: Uint8Array): Promise<KeptOutput | null> {
    this.#waitingBytes += bytes.byteLength;
    try {
      const filename = `${nodeId}.${extensionOf(mediaType)}`;
      return await this.#options.keep(Readable.from([bytes]), { filename, node: nodeId });
    } catch {
      // The image cannot be requested again: the task's result counts it as missing.
      return null;
    } finally {
      this.#waitingBytes -= bytes.byteLength;
    }
  }

  #showPreview({ nodeId, mediaType, bytes }: Extract<ExecutionEvent, { type: 'preview' }>): void {
    const { id: taskId, owner } = this.#options.record.row;
    const preview = { mediaType, bytes, ...(nodeId !== null && { node: nodeId }) };
    this.#options.events.announce({ type: 'task_preview', taskId, owner, preview });
  }

  #tellOfNodes(event: NodeEvent): void {
    const { id: taskId, owner } = this.#options.record.row;
    this.#options.events.announce({ type: 'task_execution', taskId, owner, event });
  }

  #showProgress(): void {
    const { percent, nodeId, step, steps } = this.#progress.view;
    this.#options.record.markProgress({
      progress: percent,
      ...(nodeId !== null && { node: nodeTitle(this.#graph, nodeId) }),
      ...(step !== null && steps !== null && { step, steps }),
    });
  }
}

const nodeEvents: readonly string[] = [
  'nodes_cached',
  'node_started',
  'node_progress',
  'progress_snapshot',
] satisfies NodeEvent['type'][];

function isOfNodes(event: ExecutionEvent): event is ExecutionEvent & NodeEvent {
  return nodeEvents.includes(event.type);
}

function extensionOf(mediaType: string): string {
  const subtype = mediaType.slice(mediaType.indexOf('/') + 1);
  return /^[a-z0-9]{1,8}$/.test(subtype) ? subtype.replace('jpeg', 'jpg') : 'bin';
}
