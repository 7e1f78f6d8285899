import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { closed, maxInteger, oneOf, wholeNumber } from '../shapes.ts';
import { instanceKinds } from './instance.ts';
import { patience } from './patience.ts';
import { basePathPattern } from './worker-address.ts';

const tags = ['Configuration'];

/** Stands for a secret that is set. A client that sends it back unchanged keeps the secret. */
export const maskedSecret = '***';

export const instanceDefinition = Type.Object(
  {
    ip: Type.String({ minLength: 1, maxLength: 253, description: 'IP address or host name of the worker.' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    enabled: Type.Optional(Type.Boolean({ description: 'Absent: the instance keeps its flag.' })),
    weight: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 100,
        default: 1,
        description: 'Where several are free, the heavier is taken.',
      }),
    ),
  },
  closed,
);
export type InstanceDefinition = Static<typeof instanceDefinition>;

export const tlsDefinition = Type.Object(
  {
    verify: Type.Optional(
      Type.Boolean({
        description: 'False accepts any certificate, for a trusted network only; true when absent.',
      }),
    ),
    ca: Type.Optional(Type.String({ maxLength: 65_536, description: 'Certificates to trust, as PEM text.' })),
  },
  closed,
);

export const serverDefinition = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' }),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    kind: oneOf(instanceKinds),
    tls: Type.Optional(Type.Union([Type.Boolean(), tlsDefinition])),
    basePath: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern: basePathPattern,
        description:
          'The path below which the workers of this server answer, such as `/comfy`. Ids of instances do not have it, so an address stands for one path.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$" }),
        Type.String({ maxLength: 4096, pattern: '^[\\t\\u0020-\\u007e]*$' }),
        {
          additionalProperties: false,
          maxProperties: 20,
          description:
            'Sent with each request to the workers of this server. Values are secret and answered as `***`.',
        },
      ),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 20, uniqueItems: true }),
    ),
    patience: Type.Optional(patience),
    instances: Type.Array(instanceDefinition, { maxItems: 1000 }),
  },
  closed,
);
export type ServerDefinition = Static<typeof serverDefinition>;

export const healthCheckDefinition = Type.Object(
  {
    interval: Type.Number({ minimum: 1, maximum: 86_400, description: 'Seconds between two probes.' }),
    timeout: Type.Optional(
      Type.Number({ minimum: 0.1, maximum: 60, default: 2, description: 'Seconds that a probe may take.' }),
    ),
    failures: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 2,
        description: 'Failed probes in a row until an instance counts as not alive.',
      }),
    ),
    capabilitiesInterval: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 86_400,
        default: 60,
        description:
          'Seconds between two looks at what a worker can run: its node classes and model files. It is looked at with a probe, so never more often than `interval`.',
      }),
    ),
  },
  closed,
);
export type HealthCheckDefinition = Static<typeof healthCheckDefinition>;

export const settingsInput = Type.Object(
  {
    servers: Type.Array(serverDefinition, { maxItems: 1000 }),
    healthCheck: healthCheckDefinition,
    version: Type.Optional(
      wholeNumber({
        minimum: 0,
        maximum: maxInteger,
        description: 'Accepted as it was read; `If-Match` is what is compared.',
      }),
    ),
  },
  closed,
);
export type SettingsInput = Static<typeof settingsInput>;

export const settings = Type.Object({
  servers: Type.Array(serverDefinition),
  healthCheck: healthCheckDefinition,
  version: Type.Integer(),
});
export type Settings = Static<typeof settings>;

export const getSettings = {
  method: 'GET',
  url: '/api/config',
  config: { access: 'admin' },
  schema: {
    summary: 'The configuration, secrets masked',
    tags,
    response: { 200: envelope(settings) },
  },
} as const satisfies Endpoint;

export const replaceSettings = {
  method: 'PUT',
  url: '/api/config',
  config: { access: 'admin' },
  schema: {
    summary: 'Replace the configuration',
    description:
      'Applied at once. A secret sent back as `***` keeps its value while the addresses and the TLS of its server stay. `If-Match` with the version that was read guards against overwriting somebody else.',
    tags,
    headers: Type.Object({ 'if-match': Type.Optional(Type.String({ maxLength: 64 })) }),
    body: settingsInput,
    response: { 200: envelope(settings) },
  },
} as const satisfies Endpoint;
