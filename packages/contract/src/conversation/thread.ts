import { type Static, type TSchemaOptions, Type } from 'typebox';
import { isoTime, nullable, oneOf } from '../shapes.ts';
import { threadId } from './ids.ts';

export const threadStatuses = ['idle', 'busy', 'interrupted', 'error'] as const;

/** Any keys with any values. */
export function openRecord(options: TSchemaOptions = {}) {
  const record = Type.Unsafe<Record<string, unknown>>({ additionalProperties: true, ...options });
  return Object.assign(record, { type: 'object' as const });
}

export const metadata = openRecord({
  maxProperties: 100,
  description: 'At most 100 keys and 64 KB. The keys `owner_id` and `user_id` are dropped.',
});

const interrupts = Type.Unsafe<Record<string, { id?: string; value: unknown }[]>>(
  openRecord({ description: 'What waits for a human, by the id of its task: `[{ id, value }]`.' }),
);

export const thread = Type.Object({
  thread_id: threadId,
  status: oneOf(threadStatuses),
  created_at: isoTime,
  updated_at: isoTime,
  state_updated_at: isoTime,
  run_ended_at: nullable(Type.String({ description: 'When its last run ended.' })),
  unread: Type.Boolean({ description: 'A run has ended since its owner last read it.' }),
  assistant_id: nullable(
    Type.String({
      description:
        'The assistant of its last run, or the one that it was made for. A run that names none goes on with it.',
    }),
  ),
  title: nullable(
    Type.String({ description: 'Given by its user, by its agent, or after its first question.' }),
  ),
  metadata: openRecord(),
  values: openRecord({
    description: 'The latest state. Under `/api`, where threads are listed or changed: their title alone.',
  }),
  interrupts,
  error: nullable(Type.String({ description: 'Why the last run failed.' })),
});
export type Thread = Static<typeof thread>;

export const threadFields = [
  'thread_id',
  'status',
  'created_at',
  'updated_at',
  'state_updated_at',
  'run_ended_at',
  'unread',
  'assistant_id',
  'title',
  'metadata',
  'values',
  'interrupts',
  'error',
] as const satisfies (keyof Thread)[];
export type ThreadField = (typeof threadFields)[number];

/** Lacks the fields that `select` leaves out. */
export const foundThread = Type.Object({
  ...Type.Partial(thread).properties,
  extracted: Type.Optional(openRecord({ description: 'What `extract` asked for, by alias.' })),
});
export type FoundThread = Static<typeof foundThread>;

const openRecordOrNull = nullable(openRecord());

export const checkpointId = Type.String({ minLength: 1, maxLength: 128 });

/** The form in which clients name a checkpoint. They may send it back as they received it. */
export const wantedCheckpoint = Type.Object({
  thread_id: Type.Optional(nullable(Type.String({ description: 'Not used: the path names the thread.' }))),
  checkpoint_id: Type.Optional(nullable(checkpointId)),
  checkpoint_ns: Type.Optional(nullable(Type.String({ maxLength: 1024 }))),
  checkpoint_map: Type.Optional(openRecordOrNull),
  id: Type.Optional(nullable(Type.String({ description: 'Not used.' }))),
  ts: Type.Optional(nullable(Type.String({ description: 'Not used.' }))),
});
export type WantedCheckpoint = Static<typeof wantedCheckpoint>;

const namedCheckpoint = Type.Object({
  thread_id: Type.String(),
  checkpoint_ns: Type.String(),
  checkpoint_id: Type.String(),
  checkpoint_map: openRecordOrNull,
});

const checkpoint = Type.Object({
  ...namedCheckpoint.properties,
  id: Type.String({ description: 'As `checkpoint_id`.' }),
  ts: nullable(Type.String({ description: 'When it was made.' })),
});

const stateTask = Type.Object({
  id: Type.String(),
  name: Type.String(),
  path: Type.Unknown(),
  error: nullable(Type.String({ description: 'What it failed with, where it has.' })),
  interrupts: Type.Array(Type.Unsafe<{ id?: string; value: unknown }>(openRecord())),
  checkpoint: openRecordOrNull,
  state: openRecordOrNull,
  result: Type.Unknown(),
});

/** A thread that has never run has no checkpoint, no values and no next node. */
export const threadState = Type.Object({
  values: openRecord(),
  next: Type.Array(Type.String(), { description: 'The nodes that come next; none when the thread is done.' }),
  tasks: Type.Array(stateTask),
  metadata: openRecord(),
  created_at: nullable(Type.String()),
  checkpoint: nullable(checkpoint),
  parent_checkpoint: openRecordOrNull,
  checkpoint_id: nullable(Type.String()),
  parent_checkpoint_id: nullable(Type.String()),
});
export type ThreadState = Static<typeof threadState>;

/** Under `/api` its checkpoints are ids alone; under `/api/langgraph` they are named as in the `debug` stream of a run. */
export const historyEntry = Type.Object({
  ...threadState.properties,
  checkpoint: Type.Optional(nullable(namedCheckpoint)),
  parent_checkpoint: Type.Optional(threadState.properties.parent_checkpoint),
});
export type HistoryEntry = Static<typeof historyEntry>;
