import { type Static, Type } from 'typebox';
import { sentenceList } from '../sentences/sentence.ts';
import { isoTime, nullable, oneOf } from '../shapes.ts';
import { patience } from './patience.ts';

export const taskStatuses = ['pending', 'running', 'completed', 'failed'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** The values that a filter of tasks can ask for. A task that was cancelled has the status `failed`. */
export const taskStatusFilters = [...taskStatuses, 'cancelled'] as const;
export type TaskStatusFilter = (typeof taskStatusFilters)[number];

/** The step inside its status that a task is at. */
export const taskPhases = ['queued', 'dispatching', 'accepted', 'executing', 'collecting', 'ended'] as const;
export type TaskPhase = (typeof taskPhases)[number];

export const retryPolicies = ['never', 'on_lost', 'on_error'] as const;
export type RetryPolicy = (typeof retryPolicies)[number];

/** The reasons for which a task failed. These are words in a task's record, not errors of a request. */
export const taskErrorCodes = [
  'cancelled',
  'invalid_workflow',
  'execution_failed',
  'out_of_memory',
  'device_error',
  'interrupted',
  'lost',
  'stalled',
  'timed_out',
  'rejected_by_worker',
  'input_file_missing',
  'input_too_large',
  'outputs_lost',
  // The records of tasks that ended under an earlier version contain this word.
  'outputs_missing',
  'internal_error',
] as const;
export type TaskErrorCode = (typeof taskErrorCodes)[number];

export const taskError = Type.Object({
  code: oneOf(taskErrorCodes),
  message: Type.String(),
  node: Type.Optional(Type.String({ description: 'Id of the node at fault.' })),
  nodeTitle: Type.Optional(Type.String()),
  sentences: Type.Optional({ ...sentenceList, description: 'The message as codes with values.' }),
});
export type TaskError = Static<typeof taskError>;

export const taskOutput = Type.Object({
  fileId: Type.String(),
  filename: Type.String(),
  url: Type.String(),
  contentType: Type.String(),
  size: Type.Integer(),
  node: Type.String({ description: 'Id of the node that made it.' }),
  kind: Type.Optional(
    Type.String({
      description: 'Where the node lists it, such as `images` or `audio`, if the worker said so.',
    }),
  ),
  folder: Type.Optional(
    oneOf(['output', 'temp'], {
      description: '`temp` for what the node only shows; absent where it is not known.',
    }),
  ),
});

export const taskText = Type.Object({ node: Type.String(), text: Type.String() });

export const taskResult = Type.Object({
  files: Type.Array(Type.String({ description: 'Signed address of an output, good for 24 hours.' })),
  outputs: Type.Array(taskOutput),
  texts: Type.Array(taskText),
  outputsReused: Type.Boolean({ description: 'The worker answered from its cache and drew nothing new.' }),
  outputsMissing: Type.Integer({ description: 'Outputs that the worker named and could not hand over.' }),
});
export type TaskResult = Static<typeof taskResult>;

export const taskConversation = Type.Object({
  threadId: Type.String(),
  runId: Type.String(),
  toolCallId: Type.String(),
  agent: Type.Optional(
    Type.String({ description: 'As the request of the run named it; absent in tasks of earlier versions.' }),
  ),
});
export type TaskConversation = Static<typeof taskConversation>;

export const savedWorkflowReference = Type.Object({ workflowId: Type.String(), version: Type.Integer() });
export type SavedWorkflowReference = Static<typeof savedWorkflowReference>;

export const sweepReference = Type.Object({ id: Type.String(), cell: Type.Integer() });
export type SweepReference = Static<typeof sweepReference>;

export const eta = Type.Object({ from: isoTime, to: isoTime });
export type Eta = Static<typeof eta>;

export const task = Type.Object({
  id: Type.String(),
  instanceId: nullable(Type.String()),
  status: oneOf(taskStatuses),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Per cent; 100 only when completed.' }),
  createdAt: isoTime,
  updatedAt: isoTime,
  owner: Type.String(),
  name: nullable(Type.String()),
  priority: Type.Integer(),
  tags: Type.Array(Type.String()),
  phase: oneOf(taskPhases),
  attempt: Type.Integer({ description: '0 until a worker has been chosen for the first time.' }),
  cancelRequested: Type.Boolean(),
  error: nullable(taskError),
  result: nullable(taskResult),
  warnings: Type.Array(Type.String()),
  warningSentences: Type.Array(sentenceList, { description: 'Each of the warnings as codes.' }),
  position: nullable(Type.Integer({ description: 'Place in the queue while pending, 1 is next.' })),
  waiting: nullable(
    Type.String({
      description:
        'Why it waits, in a sentence, while it is pending. Null in messages and in the answer to its submission.',
    }),
  ),
  waitingSentences: sentenceList,
  eta: nullable({
    ...eta,
    description:
      'When it will have ended: from how long at least five tasks with the same graph took on the instances that could run it, and from what is ahead. The middle of it is as likely too early as too late, and at most one task in ten ends after `to`. Null where too little is known, in messages, and in the answer to its submission.',
  }),
  startedAt: nullable(isoTime),
  finishedAt: nullable(isoTime),
  node: nullable(Type.String({ description: 'Title of the running node.' })),
  conversation: nullable(taskConversation),
  sweep: nullable({ ...sweepReference, description: 'The cell of a sweep that it was made for.' }),
});
export type Task = Static<typeof task>;

export const taskAttempt = Type.Object({
  attempt: Type.Integer(),
  instanceId: Type.String(),
  promptId: Type.String({ description: 'The id of the run on the worker.' }),
  state: oneOf(['dispatching', 'accepted', 'ended']),
  outcome: nullable(Type.String({ description: '`completed`, or why the attempt ended.' })),
  error: nullable(taskError),
  startedAt: isoTime,
  acceptedAt: nullable(isoTime),
  endedAt: nullable(isoTime),
});
export type TaskAttempt = Static<typeof taskAttempt>;

/**
 * A graph in ComfyUI's API format. The gateway checks its nodes, not this schema, so that the error can name what is
 * wrong.
 */
export const workflow = Type.Record(Type.String(), Type.Unknown());
export const params = Type.Record(Type.String(), Type.Unknown());

/** ComfyUI's `extra_data`. */
export const extraData = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'Given to the worker as `extra_data`. `extra_pnginfo` lands in the PNGs; keys of API nodes stand here. At most 4 MB.',
});

export const tag = Type.String({ minLength: 1, maxLength: 64 });

export const priorityRange = { minimum: -100, maximum: 100 } as const;

/**
 * The settings that a request may give its task. The task shows them as well: in `task` when lists need them, otherwise
 * in `taskDetail`.
 */
export const taskSettings = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  note: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2_000, description: 'What people should know about the task.' }),
  ),
  priority: Type.Optional(
    Type.Integer({
      ...priorityRange,
      default: 0,
      description: 'Higher goes first. Beyond `dispatch.max_member_priority` for administrators alone.',
    }),
  ),
  tags: Type.Optional(Type.Array(tag, { maxItems: 20, uniqueItems: true })),
  instanceId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 300, description: 'Run on this instance only.' }),
  ),
  pool: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Run on a server with this tag only.' }),
  ),
  timeoutSeconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 604_800, description: 'Longest time that one attempt may run.' }),
  ),
  patience: Type.Optional(patience),
  retry: Type.Optional(
    oneOf(retryPolicies, {
      description:
        '`on_lost` (the default): again when the worker died or was cut off. `on_error`: also after an error. `never`: at most one start.',
    }),
  ),
  maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 3 })),
};

export const taskDetail = Type.Object({
  ...task.properties,
  workflow,
  params,
  extraData: nullable({ ...extraData, description: 'Secrets in it are shown as `***`.' }),
  partialExecutionTargets: nullable(Type.Array(Type.String())),
  note: nullable(Type.String()),
  pinnedInstanceId: nullable(Type.String()),
  pool: nullable(Type.String()),
  timeoutSeconds: nullable(Type.Integer()),
  patience: nullable(patience),
  retry: oneOf(retryPolicies),
  maxAttempts: Type.Integer(),
  savedWorkflow: nullable({
    ...savedWorkflowReference,
    description: 'The saved workflow that the task was made from. Null when it was made from a graph.',
  }),
  attempts: Type.Array(taskAttempt),
});
export type TaskDetail = Static<typeof taskDetail>;
