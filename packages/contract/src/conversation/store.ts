import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, wholeNumber } from '../shapes.ts';
import { foundStoreItem, storeItem } from './store-item.ts';
import { openRecord } from './thread.ts';

const tags = ['Store'];

const label = Type.String({ maxLength: 128 });
const namespace = Type.Array(label, {
  maxItems: 20,
  description: 'From the general to the particular; no label may be empty or contain a dot.',
});
const key = Type.String({ minLength: 1, maxLength: 512 });
const limit = { minimum: 1, maximum: 1000 };
const offset = Type.Optional(wholeNumber({ minimum: 0, maximum: 100_000, default: 0 }));

/** Twice what a value may hold: characters may be written as escapes. */
const bodyLimit = 262_144;

export const putStoreItem = {
  method: 'PUT',
  url: '/api/store/items',
  config: { access: 'conversation:write', bodyLimit },
  schema: {
    summary: 'Keep a value under a namespace and a key',
    description: "The caller's agents find it in their store. The agents of other users do not.",
    tags,
    body: Type.Object({
      namespace,
      key,
      value: openRecord({ description: 'At most 100,000 bytes of JSON.' }),
      index: Type.Optional(
        Type.Unsafe<false | string[] | null>({
          anyOf: [
            { enum: [false, null] },
            { type: 'array', items: { type: 'string', minLength: 1, maxLength: 256 }, maxItems: 20 },
          ],
          description:
            'Paths whose texts the index of meanings holds, such as `text` or `facts[*].about`; `$` is the whole value. `false`: none. Absent: the `fields` of the index.',
        }),
      ),
      ttl: Type.Optional(
        nullable(
          Type.Number({
            exclusiveMinimum: 0,
            maximum: 5_256_000,
            description: 'Minutes after which it is forgotten, unless it is read before.',
          }),
        ),
      ),
    }),
    response: { 204: Type.Null() },
  },
} as const satisfies Endpoint;

export const getStoreItem = {
  method: 'GET',
  url: '/api/store/items',
  config: {
    access: 'conversation:read',
    changingFlag: { name: 'refresh_ttl', scope: 'conversation:write' },
  },
  schema: {
    summary: 'The value under a namespace and a key, or null',
    tags,
    querystring: Type.Object({
      namespace: Type.Optional(
        Type.String({ maxLength: 2_580, description: 'Its labels joined with dots: `users.preferences`.' }),
      ),
      key,
      refresh_ttl: Type.Optional(
        Type.Boolean({
          description:
            'Whether its time begins again. `true` needs the scope `conversation:write`, and with a cookie the CSRF header; without the flag it begins again for those who have both.',
        }),
      ),
    }),
    response: { 200: nullable(storeItem) },
  },
} as const satisfies Endpoint;

export const deleteStoreItem = {
  method: 'DELETE',
  url: '/api/store/items',
  config: { access: 'conversation:write', bodyLimit },
  schema: {
    summary: 'Forget a value',
    tags,
    body: Type.Object({ namespace, key }),
    response: { 204: Type.Null() },
  },
} as const satisfies Endpoint;

export const searchStoreItems = {
  method: 'POST',
  url: '/api/store/items/search',
  config: { access: 'conversation:read', bodyLimit },
  schema: {
    summary: 'Values below a namespace',
    tags,
    body: Type.Object({
      namespace_prefix: Type.Optional(nullable(namespace)),
      filter: Type.Optional(
        nullable(
          openRecord({
            maxProperties: 20,
            description:
              'Top-level keys of the value: what they hold, or `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$in`, `$nin`.',
          }),
        ),
      ),
      limit: Type.Optional(wholeNumber({ ...limit, default: 10 })),
      offset,
      query: Type.Optional(
        nullable(
          Type.String({
            maxLength: 10_000,
            description:
              'Ranks by meaning, and finds only what the index holds. Without `store.index` of langgraph.json it is 422.',
          }),
        ),
      ),
      refresh_ttl: Type.Optional(
        Type.Unsafe<false | null>({
          enum: [false, null],
          description: 'A search lets the time of what it finds run on: `false`, or left out.',
        }),
      ),
    }),
    response: { 200: Type.Object({ items: Type.Array(foundStoreItem) }) },
  },
} as const satisfies Endpoint;

export const listStoreNamespaces = {
  method: 'POST',
  url: '/api/store/namespaces',
  config: { access: 'conversation:read', bodyLimit },
  schema: {
    summary: 'Namespaces in which something is kept',
    tags,
    body: Type.Object({
      prefix: Type.Optional(
        nullable(Type.Array(label, { maxItems: 20, description: '`*` is any one label.' })),
      ),
      suffix: Type.Optional(nullable(Type.Array(label, { maxItems: 20 }))),
      max_depth: Type.Optional(
        nullable(Type.Integer({ minimum: 1, maximum: 20, description: 'Deeper ones are cut to it.' })),
      ),
      limit: Type.Optional(wholeNumber({ ...limit, default: 100 })),
      offset,
    }),
    response: { 200: Type.Object({ namespaces: Type.Array(Type.Array(Type.String())) }) },
  },
} as const satisfies Endpoint;
