import { isRecord } from '@switchyard/contract/is-record';
import type { Timer } from '../../../lib/async/timer.ts';
import { isSocketOutput } from '../socket-outputs.ts';
import type { ExecutionEnd, ExecutionResult, WatchedExecution } from '../worker-client.ts';
import type { NodeProgress, OnWorkerEvent } from '../worker-event.ts';
import { type BinaryFrame, readBinaryFrame } from './binary-frame.ts';
import { readExecutionError } from './execution-error.ts';
import { HeardExecutions } from './heard-executions.ts';
import { LatestOnly } from './latest-only.ts';

/** A worker repeats the state of all started nodes on every tick; reading it more often than this has no use. */
const snapshotIntervalMs = 200;
const maxSnapshotNodes = 10_000;

type Data = Record<string, unknown>;

/**
 * Turns the messages of the event socket into events about own prompts. Messages about other prompts are skipped, since
 * a shared worker reports those of other clients too.
 */
export class EventReader {
  readonly #emit: OnWorkerEvent;
  readonly #runs = new Map<string, WatchedExecution>();
  readonly #heard = new HeardExecutions();
  readonly #snapshots: LatestOnly<Buffer>;
  /** The prompt of ours that the worker executes, with its node. Previews that do not name a prompt belong to it. */
  #current: { promptId: string; nodeId: string | null } | null = null;
  #queueRemaining: number | null = null;

  constructor(emit: OnWorkerEvent, timer: Timer) {
    this.#emit = emit;
    this.#snapshots = new LatestOnly((raw) => this.#readSnapshot(raw), {
      timer,
      intervalMs: snapshotIntervalMs,
    });
  }

  watch(run: WatchedExecution): void {
    this.#runs.set(run.promptId, run);
  }

  forget(promptId: string): void {
    this.#runs.delete(promptId);
    this.#heard.forget(promptId);
    if (this.#current?.promptId === promptId) this.#current = null;
  }

  /** The socket is lost: the running prompt may change before the next message. */
  reset(): void {
    this.#current = null;
    this.#queueRemaining = null;
    this.#snapshots.drop();
    this.#heard.noteGap();
  }

  /**
   * The result of an execution whose events came from its start to its end and that the worker has forgotten; null if
   * there is none.
   */
  heardResultOf(promptId: string): ExecutionResult | null {
    return this.#heard.resultOf(promptId);
  }

  close(): void {
    this.#snapshots.close();
    this.#heard.clear();
    this.#runs.clear();
  }

  readText(raw: Buffer): void {
    if (isSnapshot(raw)) {
      if (this.#runs.size > 0) this.#snapshots.offer(raw);
      return;
    }
    const message = parseMessage(raw);
    if (!message) return;
    if (message.type === 'status') this.#readStatus(message.data);
    else this.#readExecutionEvent(message.type, message.data, raw.length);
  }

  readBinary(raw: Buffer): void {
    const frame = this.#runs.size > 0 ? readBinaryFrame(raw) : null;
    if (frame?.kind === 'image') this.#readImage(frame);
    else if (frame && this.#current) {
      this.#emit({
        type: 'node_text',
        promptId: this.#current.promptId,
        nodeId: frame.nodeId,
        text: frame.text,
      });
    }
  }

  #readStatus(data: Data): void {
    const info = isRecord(data.status) && isRecord(data.status.exec_info) ? data.status.exec_info : {};
    const { queue_remaining: remaining } = info;
    if (typeof remaining !== 'number' || !Number.isInteger(remaining) || remaining < 0) return;
    if (remaining === this.#queueRemaining) return;
    this.#queueRemaining = remaining;
    this.#emit({ type: 'queue_changed', queueRemaining: remaining });
  }

  #readExecutionEvent(type: string, data: Data, bytes: number): void {
    const promptId = this.#ownPromptId(type, data);
    if (promptId === null) return;
    switch (type) {
      case 'execution_start':
        this.#current = { promptId, nodeId: null };
        this.#heard.begin(promptId);
        this.#emit({ type: 'run_started', promptId });
        break;
      case 'execution_cached':
        this.#heard.addCached(promptId, texts(data.nodes));
        this.#emit({ type: 'nodes_cached', promptId, nodeIds: texts(data.nodes) });
        break;
      case 'executing':
        this.#readExecuting(promptId, data);
        break;
      case 'progress':
        this.#readProgress(promptId, data);
        break;
      case 'executed':
        this.#readExecuted(promptId, data, bytes);
        break;
      case 'execution_success':
        this.#end(promptId, 'succeeded', data);
        break;
      case 'execution_error':
        this.#end(promptId, 'failed', data);
        break;
      case 'execution_interrupted':
        this.#end(promptId, 'interrupted', data);
        break;
      default:
    }
  }

  /** The first `executing` after a reconnect does not name its prompt: it is ours when only one of ours can run. */
  #ownPromptId(type: string, data: Data): string | null {
    const { prompt_id: promptId } = data;
    if (typeof promptId === 'string') return this.#runs.has(promptId) ? promptId : null;
    if (type !== 'executing' || promptId !== undefined || this.#runs.size !== 1) return null;
    return this.#runs.keys().next().value ?? null;
  }

  #readExecuting(promptId: string, { node, display_node: displayNode }: Data): void {
    if (node === null) {
      if (this.#current?.promptId === promptId) this.#current = null;
      this.#emit({ type: 'run_settled', promptId });
    } else if (typeof node === 'string') {
      this.#current = { promptId, nodeId: node };
      this.#emit({ type: 'node_started', promptId, nodeId: node, topNodeId: text(displayNode) ?? node });
    }
  }

  #readProgress(promptId: string, { node, value, max }: Data): void {
    const nodeId = text(node) ?? this.#current?.nodeId;
    if (!nodeId || typeof value !== 'number' || typeof max !== 'number') return;
    this.#emit({ type: 'node_progress', promptId, nodeId, value, max });
  }

  #readExecuted(promptId: string, { node, display_node: displayNode, output }: Data, bytes: number): void {
    const nodeId = text(node);
    if (nodeId === null) return;
    this.#heard.addOutput(promptId, { nodeId, output, bytes });
    this.#emit({ type: 'node_finished', promptId, nodeId, topNodeId: text(displayNode) ?? nodeId });
  }

  #end(promptId: string, end: ExecutionEnd, data: Data): void {
    if (this.#current?.promptId === promptId) this.#current = null;
    this.#snapshots.drop();
    const error = end === 'failed' ? readExecutionError(data) : null;
    this.#heard.end(promptId, end, error);
    this.#emit({ type: 'run_ended', promptId, end, error });
  }

  #readSnapshot(raw: Buffer): void {
    const message = parseMessage(raw);
    const promptId = text(message?.data.prompt_id);
    if (!message || promptId === null || !this.#runs.has(promptId) || !isRecord(message.data.nodes)) return;
    const nodes: NodeProgress[] = [];
    for (const [nodeId, state] of Object.entries(message.data.nodes).slice(0, maxSnapshotNodes)) {
      if (!isRecord(state) || typeof state.value !== 'number' || typeof state.max !== 'number') continue;
      nodes.push({
        nodeId,
        topNodeId: text(state.display_node_id) ?? nodeId,
        value: state.value,
        max: state.max,
        isFinished: state.state === 'finished',
      });
    }
    this.#emit({ type: 'progress_snapshot', promptId, nodes });
  }

  #readImage(frame: Extract<BinaryFrame, { kind: 'image' }>): void {
    const promptId = frame.promptId ?? this.#current?.promptId ?? null;
    const run = promptId === null ? undefined : this.#runs.get(promptId);
    if (!run) return;
    const nodeId = frame.nodeId ?? this.#current?.nodeId ?? null;
    const { bytes, mediaType } = frame;
    if (nodeId !== null && isSocketOutput(run.classOf(nodeId))) {
      this.#emit({ type: 'image_output', promptId: run.promptId, nodeId, mediaType, bytes });
    } else {
      this.#emit({ type: 'preview', promptId: run.promptId, nodeId, mediaType, bytes });
    }
  }
}

/** Recognized by its first bytes, so that a snapshot that will not be used is not parsed. */
function isSnapshot(raw: Buffer): boolean {
  return /^\{\s*"type":\s*"progress_state"/.test(raw.toString('latin1', 0, 40));
}

function parseMessage(raw: Buffer): { type: string; data: Data } | null {
  try {
    const message: unknown = JSON.parse(raw.toString('utf8'));
    if (!isRecord(message) || typeof message.type !== 'string' || !isRecord(message.data)) return null;
    return { type: message.type, data: message.data };
  } catch {
    return null;
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
