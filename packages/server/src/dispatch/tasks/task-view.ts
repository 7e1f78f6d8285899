import type {
  SavedWorkflowReference,
  SweepReference,
  Task,
  TaskAttempt,
  TaskConversation,
  TaskDetail,
  TaskResult,
} from '@switchyard/contract/dispatch/task';
import { maskExtraData } from '../graphs/extra-data.ts';
import type { TaskInputRow, TaskRow } from '../tables.ts';
import { detailedSettings, listedSettings } from '../task-settings.ts';
import type { AttemptRow } from './attempt-store.ts';
import { taskErrorOf, warningsOf } from './task-messages.ts';

/** A result as it is stored: by file id, since links are signed again at each read. */
export interface StoredResult {
  outputs: Omit<TaskResult['outputs'][number], 'url'>[];
  texts: { node: string; text: string }[];
  outputsReused: boolean;
  outputsMissing: number;
}

export interface TaskViewOptions {
  /** Signs a link to a stored file that is valid for a day. */
  linkTo: (file: { fileId: string; filename: string }) => string;
  /** Place in the queue; 1 is next. */
  position: number | null;
  /** The reason for which the task waits and its estimated end, as far as the caller has looked them up. */
  outlook?: Outlook | undefined;
}

export type Outlook = Pick<Task, 'waiting' | 'waitingSentences' | 'eta'>;

export function viewTask(row: TaskRow, options: TaskViewOptions): Task {
  return {
    id: row.id,
    instanceId: row.instanceId,
    status: row.status,
    progress: row.progress,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    owner: row.owner,
    ...listedSettings(row),
    phase: row.phase,
    attempt: row.attempt,
    cancelRequested: row.cancelRequested === 1,
    error: taskErrorOf(row),
    result: viewResult(row, options.linkTo),
    ...warningsOf(row),
    position: options.position,
    waiting: options.outlook?.waiting ?? null,
    waitingSentences: options.outlook?.waitingSentences ?? [],
    eta: options.outlook?.eta ?? null,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    node: row.node,
    conversation: row.conversation ? (JSON.parse(row.conversation) as TaskConversation) : null,
    sweep: sweepOf(row),
  };
}

export function viewTaskDetail(
  row: TaskRow,
  { input, attempts }: { input: Omit<TaskInputRow, 'taskId' | 'requirement'>; attempts: AttemptRow[] },
  options: TaskViewOptions,
): TaskDetail {
  return {
    workflow: JSON.parse(input.workflow) as Record<string, unknown>,
    params: JSON.parse(input.params) as Record<string, unknown>,
    extraData: input.extraData ? maskExtraData(JSON.parse(input.extraData) as Record<string, unknown>) : null,
    partialExecutionTargets: targetsOf(input),
    ...detailedSettings(row),
    savedWorkflow: savedWorkflowOf(row),
    attempts: attempts.map(viewAttempt),
    // At the end: an object that begins as a copy gets hidden classes of its own, which take 10 kB and most of the time.
    ...viewTask(row, options),
  };
}

export function savedWorkflowOf(
  row: Pick<TaskRow, 'workflowId' | 'workflowVersion'>,
): SavedWorkflowReference | null {
  if (row.workflowId === null || row.workflowVersion === null) return null;
  return { workflowId: row.workflowId, version: row.workflowVersion };
}

function sweepOf({ sweepId, sweepCell }: TaskRow): SweepReference | null {
  return sweepId === null || sweepCell === null ? null : { id: sweepId, cell: sweepCell };
}

export function targetsOf(input: Pick<TaskInputRow, 'partialExecutionTargets'>): string[] | null {
  const { partialExecutionTargets: targets } = input;
  return targets ? (JSON.parse(targets) as string[]) : null;
}

/**
 * The task as the answer to its submission showed it; its own address shows what has happened since. Its place in the
 * queue is the present one.
 */
export function asSubmitted(task: TaskDetail): TaskDetail {
  return {
    ...task,
    instanceId: null,
    status: 'pending',
    phase: 'queued',
    progress: 0,
    waiting: null,
    waitingSentences: [],
    eta: null,
    attempt: 0,
    cancelRequested: false,
    node: null,
    error: null,
    result: null,
    updatedAt: task.createdAt,
    startedAt: null,
    finishedAt: null,
    attempts: [],
  };
}

export function viewResult(
  row: Pick<TaskRow, 'result'>,
  linkTo: TaskViewOptions['linkTo'],
): TaskResult | null {
  if (!row.result) return null;
  const stored = JSON.parse(row.result) as StoredResult;
  const outputs = stored.outputs.map((output) => ({ ...output, url: linkTo(output) }));
  return { ...stored, outputs, files: outputs.map(({ url }) => url) };
}

function viewAttempt(row: AttemptRow): TaskAttempt {
  return {
    attempt: row.attempt,
    instanceId: row.instanceId,
    promptId: row.promptId,
    state: row.state,
    outcome: row.outcome,
    error: taskErrorOf(row),
    startedAt: row.startedAt,
    acceptedAt: row.acceptedAt,
    endedAt: row.endedAt,
  };
}
