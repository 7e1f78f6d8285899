import { type Static, Type } from 'typebox';
import type { Endpoint } from './endpoint.ts';
import { envelope } from './envelope.ts';
import { isoTime, nullable, oneOf } from './shapes.ts';

const tags = ['System'];
const count = Type.Integer({ minimum: 0 });
const bytes = Type.Integer({ minimum: 0 });
const text = Type.String();

/** The number of things that one answer lists; the totals beside the lists count everything. */
export const systemLimits = { deadJobs: 50, leases: 500, users: 20, counted: 10_000 } as const;

const versions = Type.Object({
  gateway: text,
  node: text,
  platform: text,
  libraries: Type.Record(text, text, {
    description: 'The version of each library that matters, by its name.',
  }),
});

const dependency = Type.Object({
  name: text,
  kind: Type.String({ description: 'For example `sqlite`, `postgres` or `memory`.' }),
  ok: Type.Boolean(),
  latencyMs: nullable(Type.Number({ description: 'Null for what lives in this process.' })),
  detail: nullable(text),
});

const replica = Type.Object({
  id: Type.String({ description: 'Changes with each start.' }),
  isThis: Type.Boolean({ description: 'The process that answers.' }),
  holds: Type.Array(
    Type.Object({ key: text, what: Type.String({ description: 'The same in plain words.' }) }),
  ),
});

export const deadJob = Type.Object({
  id: text,
  kind: text,
  key: nullable(text),
  attempts: count,
  lastError: text,
  diedAt: isoTime,
});

const schedule = Type.Object({
  kind: text,
  everySeconds: count,
  nextAt: nullable(Type.String({ description: 'Null while it works.' })),
  lastError: nullable(text),
});

const ofKind = Type.Object({
  kind: oneOf(['files', 'threads', 'thumbnails', 'other', 'database']),
  bytes,
  count: nullable(count),
});

const ofUser = Type.Object({
  userId: text,
  email: nullable(text),
  fileBytes: bytes,
  files: count,
  threadBytes: bytes,
});

const storage = Type.Object({
  byKind: Type.Array(ofKind, {
    description: 'Files and the database are counted now; the folders as they were at `foldersTakenAt`.',
  }),
  byUser: Type.Array(ofUser, { description: 'The 20 who use most.' }),
  foldersTakenAt: nullable(
    Type.String({
      description: 'When the folders were measured; null while this is done for the first time.',
    }),
  ),
  foldersComplete: Type.Boolean({ description: 'False when there were too many files to look at all.' }),
  freeBytes: Type.Array(Type.Object({ folder: text, bytes })),
});

const retention = Type.Object({
  what: oneOf(['files', 'threads', 'webhook_deliveries', 'instance_events', 'audit', 'dead_jobs']),
  keptSeconds: nullable(Type.Integer({ description: 'Null: kept for ever.' })),
  nextAt: nullable(Type.String({ description: 'When the next sweep is due.' })),
  count: Type.Integer({ minimum: 0, description: 'What that sweep will delete, as far as is known now.' }),
  countIsMinimum: Type.Boolean({ description: 'There are more than were counted.' }),
  bytes: nullable(bytes),
});
export type Retention = Static<typeof retention>;

export const systemReport = Type.Object({
  takenAt: isoTime,
  startedAt: isoTime,
  versions,
  process: Type.Object({ pid: Type.Integer(), memoryBytes: bytes, heapBytes: bytes }),
  dependencies: Type.Array(dependency),
  replicas: Type.Array(replica),
  deadJobs: Type.Object({ total: count, items: Type.Array(deadJob) }),
  schedules: Type.Array(schedule, { description: 'Work that repeats.' }),
  storage,
  retention: Type.Array(retention, { description: 'What will be deleted because it is old.' }),
});
export type SystemReport = Static<typeof systemReport>;

export const getSystem = {
  method: 'GET',
  url: '/api/system',
  config: { access: 'admin' },
  schema: {
    summary: 'How the gateway is: versions, dependencies, replicas, dead jobs, storage, retention',
    tags,
    querystring: Type.Object({}, { additionalProperties: false }),
    response: { 200: envelope(systemReport) },
  },
} as const satisfies Endpoint;

export const retryJob = {
  method: 'POST',
  url: '/api/system/jobs/:jobId/retry',
  config: { access: 'admin', bodyLimit: 16_384 },
  schema: {
    summary: 'Try a dead job again',
    description:
      '`replaced`: a newer job of the same kind and key waits already, so the dead one is dropped. A job that is not dead answers 404.',
    tags,
    params: Type.Object({ jobId: Type.String({ minLength: 1, maxLength: 128 }) }),
    response: { 200: envelope(Type.Object({ id: text, outcome: oneOf(['waiting', 'replaced']) })) },
  },
} as const satisfies Endpoint;
