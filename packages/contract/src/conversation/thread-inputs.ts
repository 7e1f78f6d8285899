import { type Static, Type } from 'typebox';
import { maxInteger, nullable, oneOf, wholeNumber } from '../shapes.ts';
import { threadId } from './ids.ts';
import { checkpointId, metadata, threadFields, threadStatuses, wantedCheckpoint } from './thread.ts';

const superstep = Type.Object({
  updates: Type.Array(
    Type.Object({
      values: Type.Optional(Type.Unknown()),
      command: Type.Optional(
        nullable(
          Type.Object({
            update: Type.Optional(Type.Unknown()),
            resume: Type.Optional(Type.Null({ description: 'A superstep resumes nothing.' })),
            goto: Type.Optional(
              Type.Unknown({
                description: 'The nodes that come next: a name, `{ node, input }`, or a list of these.',
              }),
            ),
          }),
        ),
      ),
      as_node: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 256 }))),
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

const ttlMinutes = { exclusiveMinimum: 0, maximum: 5_256_000 };

export const threadTtl = Type.Optional(
  Type.Unsafe<number | { ttl: number; strategy?: 'delete' | 'keep_latest' | null } | null>({
    type: ['number', 'object', 'null'],
    ...ttlMinutes,
    properties: {
      ttl: { type: 'number', ...ttlMinutes },
      strategy: { enum: ['delete', 'keep_latest', null] },
    },
    required: ['ttl'],
    additionalProperties: false,
    description:
      'Minutes without a change after which the thread is deleted, or loses all but its latest state (`keep_latest`). Left out, nothing changes.',
  }),
);

export const newThread = Type.Object({
  thread_id: Type.Optional(nullable(threadId)),
  assistant_id: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 128 }))),
  metadata: Type.Optional(nullable(metadata)),
  if_exists: Type.Optional(
    oneOf(['raise', 'do_nothing'], {
      description:
        'For a thread that the caller has already: 409, or the thread as it is. Left out, `/api` answers the thread and `/api/langgraph` 409.',
    }),
  ),
  supersteps: Type.Optional(
    Type.Array(superstep, {
      maxItems: 1000,
      description: 'Updates that make the state the thread begins with.',
    }),
  ),
  ttl: threadTtl,
});
export type NewThreadBody = Static<typeof newThread>;

const filterValue = Type.Unsafe<string | number | boolean | null>({
  type: ['string', 'number', 'boolean', 'null'],
});

const filters = {
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      propertyNames: { pattern: '^[A-Za-z0-9_-]{1,128}$' },
      maxProperties: 20,
      description:
        'Each key must hold exactly this value, with its type: a text of at most 1,024 bytes, a number, true, false or null; or an object or a list that contains this one.',
    }),
  ),
  values: Type.Optional(
    Type.Unsafe<Record<string, string | number | boolean | null> | null>({
      type: ['object', 'null'],
      additionalProperties: filterValue,
      maxProperties: 20,
      description: 'As `metadata`, on the top level of the latest state.',
    }),
  ),
  status: Type.Optional(oneOf(threadStatuses)),
  ids: Type.Optional(nullable(Type.Array(threadId, { maxItems: 1000 }))),
};

export const threadFilter = Type.Object(filters);
export type ThreadFilterBody = Static<typeof threadFilter>;

export const threadSearch = Type.Object({
  ...filters,
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the title, in upper or lower case.' }),
  ),
  limit: Type.Optional(
    wholeNumber({ minimum: 1, maximum: 1000, description: 'Default 100; 10 under `/api/langgraph`.' }),
  ),
  offset: Type.Optional(wholeNumber({ minimum: 0, maximum: maxInteger })),
  sort_by: Type.Optional(oneOf(['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at'])),
  sort_order: Type.Optional(oneOf(['asc', 'desc'], { description: 'Default `desc`.' })),
  pinned_first: Type.Optional(
    nullable(
      Type.Boolean({
        description:
          'Begin with the threads whose metadata have `deerflow_pinned: true`; only by `updated_at`, descending. Default true under `/api`.',
      }),
    ),
  ),
  select: Type.Optional(
    nullable(
      Type.Array(oneOf([...threadFields, 'config', 'context']), {
        maxItems: 20,
        description:
          'Fields to answer; all of them when left out. A thread has no `config` and no `context`.',
      }),
    ),
  ),
  extract: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({
      type: ['object', 'null'],
      additionalProperties: Type.String({ minLength: 1, maxLength: 256 }),
      maxProperties: 10,
      description: 'Paths into the thread by alias: `values.messages[-1].content`, `metadata.topic`.',
    }),
  ),
});
export type ThreadSearchBody = Static<typeof threadSearch>;

export const statePatch = Type.Object({
  values: Type.Optional(Type.Unknown({ description: 'Channels to change, each through its reducer.' })),
  as_node: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 256 }))),
  checkpoint: Type.Optional(nullable(wantedCheckpoint)),
  checkpoint_id: Type.Optional(nullable(checkpointId)),
});
export type StatePatchBody = Static<typeof statePatch>;

export const historyLimit = Type.Optional(wholeNumber({ minimum: 1, maximum: 1000, default: 10 }));

export const historyBody = Type.Object({
  limit: historyLimit,
  before: Type.Optional(
    Type.Unsafe<string | Record<string, unknown> | null>({
      type: ['string', 'object', 'null'],
      maxLength: 128,
      additionalProperties: true,
      description: 'Only what is older than this checkpoint: its id, or an object that names it.',
    }),
  ),
  metadata: Type.Optional(nullable(metadata)),
  checkpoint: Type.Optional(
    nullable({
      ...wantedCheckpoint,
      description: 'Only this checkpoint, or the checkpoints of its namespace when it has no id.',
    }),
  ),
});
export type HistoryBody = Static<typeof historyBody>;
