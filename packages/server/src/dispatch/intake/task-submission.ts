import { createHash } from 'node:crypto';
import type {
  SavedWorkflowReference,
  SweepReference,
  TaskConversation,
} from '@switchyard/contract/dispatch/task';
import type { NewTask as TaskInput } from '@switchyard/contract/dispatch/tasks';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import { withSortedKeys } from '../../lib/with-sorted-keys.ts';
import type { LentFile } from '../files/own-files.ts';
import { type Requirement, requirementOf } from '../graphs/capability.ts';
import { requireExtraData, requireTargets } from '../graphs/extra-data.ts';
import { fingerprintOf } from '../graphs/fingerprint.ts';
import { parseGraph } from '../graphs/graph.ts';
import { applyParams, fileIdsIn } from '../graphs/params.ts';
import { type WorkerPath, workerPathsIn } from '../graphs/worker-paths.ts';
import type { TaskInputRow, TaskRow } from '../tables.ts';
import { settingColumns } from '../task-settings.ts';
import { warningColumns } from '../tasks/task-messages.ts';
import type { IdempotencyKey, NewTask } from '../tasks/task-store.ts';

export interface PreparedTask {
  task: NewTask;
  requirement: Requirement;
  /** Paths in the graph, with its params applied, to files that are not the task's own. */
  paths: WorkerPath[];
}

/** The task that a request means. */
export interface RequestedTask {
  input: TaskInput;
  savedWorkflow?: SavedWorkflowReference | null;
  /** Files of another owner, each for one input. They take the place of what the graph has there, unless a param does. */
  lent?: readonly LentFile[];
  sweep?: SweepReference | null;
  /** The priority of the task that this one is a copy of, for a request that names none. */
  priorityBefore?: number;
}

export interface SubmissionContext {
  owner: string;
  requestId: string | null;
  traceparent?: string | null;
  conversation: TaskConversation | null;
  savedWorkflow: SavedWorkflowReference | null;
  sweep?: SweepReference | null;
  idempotency: IdempotencyKey | null;
  nowMs: number;
  /**
   * Names on a worker of the files that the params mention; a file that is missing here does not exist for this owner.
   */
  fileNames: ReadonlyMap<string, string>;
  lent?: readonly LentFile[];
}

/** A priority that the caller may not give is refused. A copy of a task that had one gets the highest that the caller may give. */
export function withPriority(
  input: TaskInput,
  { maxPriority, priorityBefore = 0 }: { maxPriority: number; priorityBefore: number | undefined },
): TaskInput {
  const { priority = Math.min(priorityBefore, maxPriority) } = input;
  if (priority <= maxPriority) return { ...input, priority };
  const message = say('priority_beyond', { max: maxPriority });
  throw new AppError('validation_failed', {
    faults: [{ in: 'body', path: ['priority'], message, type: 'less_than_equal' }],
  });
}

/** The task with the lent files in its params. A param that is given for such an input counts. */
export function withLentFiles(input: TaskInput, lent: readonly LentFile[]): TaskInput {
  if (lent.length === 0) return input;
  const lentParams = Object.fromEntries(lent.map(({ address, fileId }) => [address, { $file: fileId }]));
  return { ...input, params: { ...lentParams, ...input.params } };
}

export function filesWanted(input: TaskInput): string[] {
  return fileIdsIn(input.params ?? {});
}

/** Checks everything about a submission that needs no worker and no row, and builds its rows. */
export function prepareTask(input: TaskInput, context: SubmissionContext): PreparedTask {
  const { fileNames, lent = [] } = context;
  const applied = applyParams({
    graph: parseGraph(input.workflow),
    params: input.params ?? {},
    strict: input.strict ?? false,
    fileNames: new Map([...lent.map(({ fileId, name }) => [fileId, name] as const), ...fileNames]),
  });
  requireExtraData(input.extraData ?? {});
  requireTargets(input.partialExecutionTargets ?? [], applied.graph);
  const requirement = requirementOf(applied.graph, {
    pool: input.pool ?? null,
    pinnedInstanceId: input.instanceId ?? null,
  });
  const { workflowId, workflowVersion } = workflowColumns(context.savedWorkflow);
  const id = newTimeOrderedId(context.nowMs);
  const at = toIso(context.nowMs);
  return {
    requirement,
    paths: workerPathsIn(
      applied.graph,
      new Set(fileNames.values()),
      new Map(lent.map(({ address, name }) => [address, name])),
    ),
    task: {
      row: {
        id,
        owner: context.owner,
        status: 'pending',
        phase: 'queued',
        progress: 0,
        ...settingColumns(input),
        instanceId: null,
        attempt: 0,
        claimToken: null,
        cancelRequested: 0,
        node: null,
        fingerprint: fingerprintOf(applied.graph),
        error: null,
        result: null,
        ...warningColumns(applied.warnings),
        webhook: jsonOf(input.webhook),
        requestId: context.requestId,
        traceparent: context.traceparent ?? null,
        conversation: context.conversation && JSON.stringify(context.conversation),
        workflowId,
        workflowVersion,
        sweepId: context.sweep?.id ?? null,
        sweepCell: context.sweep?.cell ?? null,
        frontAt: null,
        createdAt: at,
        updatedAt: at,
        startedAt: null,
        finishedAt: null,
      },
      input: inputRowOf(id, input, requirement),
      fileIds: applied.fileIds,
      idempotency: context.idempotency,
    },
  };
}

function inputRowOf(taskId: string, input: TaskInput, requirement: Requirement): TaskInputRow {
  return {
    taskId,
    workflow: JSON.stringify(input.workflow),
    params: JSON.stringify(input.params ?? {}),
    requirement: JSON.stringify(requirement),
    extraData: jsonOf(input.extraData),
    partialExecutionTargets: jsonOf(input.partialExecutionTargets),
  };
}

function workflowColumns(
  saved: SavedWorkflowReference | null,
): Pick<TaskRow, 'workflowId' | 'workflowVersion'> {
  return { workflowId: saved?.workflowId ?? null, workflowVersion: saved?.version ?? null };
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** The hash of a body; the order of its keys does not matter. */
export function bodyHashOf(input: object): string {
  return createHash('sha256')
    .update(JSON.stringify(withSortedKeys(input)))
    .digest('hex');
}
