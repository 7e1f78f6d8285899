import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { sentenceList } from '../sentences/sentence.ts';
import { closed, isoTime, nullable, oneOf } from '../shapes.ts';

const tags = ['Instances'];

export const instanceKinds = ['comfyui', 'reference'] as const;
export type InstanceKind = (typeof instanceKinds)[number];

/** One word for people, derived from the flags and from what the health monitor knows. */
export const instanceStates = [
  'off',
  'unreachable',
  'checking',
  'idle',
  'busy',
  'draining',
  'suspect',
] as const;
export type InstanceState = (typeof instanceStates)[number];

export const device = Type.Object({
  name: Type.String(),
  memoryTotalBytes: nullable(Type.Integer()),
  memoryFreeBytes: nullable(Type.Integer()),
});
export type Device = Static<typeof device>;

/** The machine under a worker, and its software. It is stored whole, and an earlier version may have stored it, so each field is optional. */
export const workerSystem = Type.Object({
  pytorchVersion: Type.Optional(Type.String()),
  ramTotalBytes: Type.Optional(Type.Integer()),
  ramFreeBytes: Type.Optional(Type.Integer()),
});
export type WorkerSystem = Static<typeof workerSystem>;

/** The facts that a worker reports about itself each time it is asked. */
export const workerReport = Type.Object({
  version: nullable(Type.String()),
  devices: Type.Array(device),
  system: Type.Optional({
    ...workerSystem,
    description: 'What the worker says about its machine; absent until it has answered once.',
  }),
});
export type WorkerReport = Static<typeof workerReport>;

export const instance = Type.Object({
  id: Type.String({ description: '`<ip>:<port>`' }),
  serverId: Type.String(),
  serverName: Type.String(),
  ip: Type.String(),
  port: Type.Integer(),
  enabled: Type.Boolean({ description: 'False is a drain: nothing new is given, what runs finishes.' }),
  alive: Type.Boolean(),
  busy: Type.Boolean({ description: 'True also while somebody else uses the worker.' }),
  lastHeartbeat: nullable(isoTime),
  kind: oneOf(instanceKinds),
  tags: Type.Array(Type.String()),
  draining: Type.Boolean(),
  state: oneOf(instanceStates),
  queueRemaining: nullable(Type.Integer()),
  currentTaskId: nullable(Type.String()),
  ...workerReport.properties,
  lastError: nullable(Type.String()),
  lastErrorSentences: sentenceList,
  since: Type.String({ description: 'When the instance got its present state; ISO 8601, UTC.' }),
});
export type Instance = Static<typeof instance>;

export const capabilitySummary = Type.Object({
  known: Type.Boolean({ description: 'False until the worker has told once what it can do.' }),
  nodeClasses: Type.Array(Type.String()),
  models: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'Per `<node class>.<input>` the model files that the worker offers.',
  }),
  updatedAt: nullable(isoTime),
});

export const instanceDetail = Type.Object({ ...instance.properties, capabilities: capabilitySummary });
export type InstanceDetail = Static<typeof instanceDetail>;

/** The findings of a probe, in words that a person can act on. */
export const probeCauses = [
  'refused',
  'timed_out',
  'unreachable',
  'name_not_found',
  'tls_failed',
  'wants_password',
  'not_comfyui',
  'too_old',
  'host_not_allowed',
] as const;
export type ProbeCause = (typeof probeCauses)[number];

export const instanceTest = Type.Object({
  ok: Type.Boolean(),
  cause: nullable(oneOf(probeCauses)),
  message: Type.String(),
  sentences: sentenceList,
  latencyMs: nullable(Type.Integer()),
  instance,
});
export type InstanceTest = Static<typeof instanceTest>;

const instanceParams = Type.Object({ instanceId: Type.String({ minLength: 1, maxLength: 300 }) });

export const listInstances = {
  method: 'GET',
  url: '/api/instances',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'All instances',
    tags,
    querystring: Type.Object({}, closed),
    response: { 200: envelope(Type.Array(instance)) },
  },
} as const satisfies Endpoint;

export const getInstance = {
  method: 'GET',
  url: '/api/instances/:instanceId',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'One instance with what it can do',
    tags,
    params: instanceParams,
    response: { 200: envelope(instanceDetail) },
  },
} as const satisfies Endpoint;

export const updateInstance = {
  method: 'PUT',
  url: '/api/instances/:instanceId',
  config: { access: 'admin', bodyLimit: 16_384 },
  schema: {
    summary: 'Enable or drain an instance',
    description:
      '`enabled: false` drains: nothing new is given and what runs finishes. With `?force=true` the running task is interrupted and queued again.',
    tags,
    params: instanceParams,
    querystring: Type.Object({ force: Type.Optional(Type.Boolean()) }),
    body: Type.Object({ enabled: Type.Boolean() }),
    response: { 200: envelope(instanceDetail) },
  },
} as const satisfies Endpoint;

export const testInstance = {
  method: 'POST',
  url: '/api/instances/:instanceId/test',
  config: { access: 'admin', bodyLimit: 16_384 },
  schema: {
    summary: 'Probe an instance now',
    tags,
    params: instanceParams,
    response: { 200: envelope(instanceTest) },
  },
} as const satisfies Endpoint;
