import type { Task, TaskDetail } from '@switchyard/contract/dispatch/task';
import {
  type ComfyApiJob,
  type ComfyApiOutput,
  type ComfyApiProgress,
  comfyApiBase,
} from '@switchyard/contract/doors/comfy-api';
import type { Graph } from '../../dispatch/graphs/graph.ts';
import { toIso } from '../../lib/clock.ts';
import { dayMs } from '../../lib/time-units.ts';
import { endOfLink } from '../../platform/files/signed-url.ts';

/** A task as it stands in a list, or with its workflow. */
export type JobTask = Task & Partial<Pick<TaskDetail, 'workflow'>>;

export interface JobViewOptions {
  nowMs: number;
  /** The time for which files are kept; null when they are kept for ever. */
  retentionMs: number | null;
}

const centuryMs = 36_525 * dayMs;

export function viewJob(task: JobTask, { nowMs, retentionMs }: JobViewOptions): ComfyApiJob {
  const graph = task.workflow as Graph | undefined;
  const expiresMs = Date.parse(task.finishedAt ?? task.createdAt) + (retentionMs ?? centuryMs);
  const isExpired = task.phase === 'ended' && nowMs >= expiresMs;
  const self = `${comfyApiBase}/jobs/${task.id}`;
  return {
    id: task.id,
    status: isExpired ? 'expired' : statusOf(task),
    created_at: task.createdAt,
    started_at: task.startedAt,
    completed_at: task.finishedAt,
    expires_at: toIso(expiresMs),
    queue_position: task.position,
    progress: graph && task.startedAt !== null ? progressOf(task, graph) : null,
    outputs: isExpired ? [] : outputsOf(task),
    error: errorOf(task, graph),
    metrics: {
      queue_ms: between(task.createdAt, task.startedAt),
      execution_ms: between(task.startedAt, task.finishedAt),
    },
    urls: { self, events: `${self}/events`, cancel: `${self}/cancel` },
  };
}

/** Returns a whole snapshot of a job of which `percent` is done. */
export function viewProgress(percent: number, graph: Graph): ComfyApiProgress {
  const total = Object.keys(graph).length;
  return {
    value: percent / 100,
    nodes_done: Math.floor((percent * total) / 100),
    nodes_total: total,
    current_node: null,
    current_node_class: null,
    step: null,
    steps: null,
    message: null,
  };
}

function statusOf({ status, error, cancelRequested }: JobTask): ComfyApiJob['status'] {
  if (status === 'completed') return 'succeeded';
  if (status === 'failed') return error?.code === 'cancelled' ? 'canceled' : 'failed';
  if (cancelRequested) return 'canceling';
  return status === 'running' ? 'running' : 'queued';
}

function progressOf({ status, progress, node }: JobTask, graph: Graph): ComfyApiProgress {
  return { ...viewProgress(status === 'completed' ? 100 : progress, graph), message: node };
}

function outputsOf({ id, result }: JobTask): ComfyApiOutput[] {
  return (result?.outputs ?? []).map(({ fileId, filename, url, contentType, size, node }) => ({
    node_id: node,
    name: filename,
    type: typeOf(contentType, filename),
    content_type: contentType,
    size_bytes: size,
    id: fileId,
    hash: null,
    url,
    url_expires_at: endOfLink(url).toISOString(),
    job_id: id,
  }));
}

function typeOf(contentType: string, filename: string): ComfyApiOutput['type'] {
  if (filename.endsWith('.latent')) return 'latent';
  const [kind] = contentType.split('/', 1);
  if (kind === 'image' || kind === 'video' || kind === 'audio' || kind === 'text') return kind;
  return contentType.startsWith('application/json') ? 'text' : 'file';
}

function errorOf({ error }: JobTask, graph: Graph | undefined): ComfyApiJob['error'] {
  if (error === null) return null;
  const { code, message, node } = error;
  const nodeClass =
    node !== undefined && graph && Object.hasOwn(graph, node) ? graph[node]?.class_type : null;
  return { code, message, node_id: node ?? null, class_type: nodeClass ?? null, traceback: null };
}

function between(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from));
}
