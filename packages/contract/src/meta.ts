import { type Static, Type } from 'typebox';
import type { Endpoint } from './endpoint.ts';
import { envelope } from './envelope.ts';
import { oneOf } from './shapes.ts';

const tags = ['Service'];

const connection = oneOf(['connected', 'disconnected']);
const cacheConnection = oneOf(['connected', 'disconnected', 'embedded'], {
  description: '`embedded`: the cache lives inside the gateway and cannot be disconnected.',
});

const storage = oneOf(['ok', 'low', 'full'], {
  description:
    'The disk of the data home. `low`: uploads and outputs are refused with 507. `full`: nothing can be written.',
});

export const serviceHealth = Type.Object({
  status: oneOf(['ok', 'degraded']),
  cache: cacheConnection,
  redis: cacheConnection,
  database: connection,
  storage,
  version: Type.Optional(Type.String({ description: 'Told to callers who are signed in.' })),
  uptimeSeconds: Type.Integer(),
  quiet: Type.Optional(
    Type.Literal(true, {
      description: 'Restored from a backup, and works on nothing until `switchyard resume`.',
    }),
  ),
});
export type ServiceHealth = Static<typeof serviceHealth>;

export const readiness = Type.Object({
  ready: Type.Boolean(),
  draining: Type.Boolean({ description: 'The gateway is shutting down: send new requests elsewhere.' }),
  dependencies: Type.Array(
    Type.Object({
      name: Type.String(),
      ok: Type.Boolean(),
      latencyMs: Type.Number({ description: 'How long the check took.' }),
    }),
  ),
});
export type Readiness = Static<typeof readiness>;

export const getHealth = {
  method: 'GET',
  url: '/api/health',
  config: { access: 'public' },
  schema: {
    summary: 'Health of the service',
    description:
      '503 with the same `data` while the database cannot be reached; `degraded` also while the disk is low or full.',
    tags,
    response: {
      200: envelope(serviceHealth),
      503: Type.Object({ code: Type.Literal(503), data: serviceHealth }),
    },
  },
} as const satisfies Endpoint;

export const getLiveness = {
  method: 'GET',
  url: '/healthz',
  config: { access: 'public' },
  schema: {
    summary: 'The process is alive',
    tags,
    response: { 200: Type.Object({ status: Type.Literal('ok') }) },
  },
} as const satisfies Endpoint;

export const getReadiness = {
  method: 'GET',
  url: '/readyz',
  config: { access: 'public' },
  schema: {
    summary: 'The process can serve requests',
    description:
      '503 while the database cannot be reached or the disk takes no more, and from the moment a shutdown begins.',
    tags,
    response: { 200: readiness, 503: readiness },
  },
} as const satisfies Endpoint;

export const getMetrics = {
  method: 'GET',
  url: '/metrics',
  config: { access: 'public' },
  schema: {
    summary: 'Metrics in the Prometheus text format',
    description:
      'Answered to loopback, and to anybody who sends the configured token as `Authorization: Bearer`.',
    tags,
    produces: ['text/plain'],
    response: { 200: Type.String() },
  },
} as const satisfies Endpoint;

export const getOpenApi = {
  method: 'GET',
  url: '/openapi.json',
  config: { access: 'public' },
  schema: {
    summary: 'This description of the interface, as OpenAPI 3.1',
    tags,
    response: { 200: Type.Record(Type.String(), Type.Unknown()) },
  },
} as const satisfies Endpoint;

export const getDocs = {
  method: 'GET',
  url: '/docs',
  config: { access: 'public' },
  schema: {
    summary: 'This description of the interface, for people',
    tags,
    produces: ['text/html'],
    response: { 200: Type.String() },
  },
} as const satisfies Endpoint;

export const getDocsAsset = {
  method: 'GET',
  url: '/docs/:asset',
  config: { access: 'public' },
  schema: {
    summary: 'Style and script of the page',
    tags,
    params: Type.Object({ asset: oneOf(['docs.css', 'docs.js']) }),
    produces: ['text/css', 'text/javascript'],
    response: { 200: Type.String() },
  },
} as const satisfies Endpoint;
