import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf, pageOffset, versionNumber, wholeNumber } from '../shapes.ts';
import {
  assistant,
  assistantFields,
  assistantGraph,
  assistantId,
  assistantSchemas,
  foundAssistant,
  subgraphSchemas,
} from './assistant.ts';
import { openRecord } from './thread.ts';

const tags = ['Assistants'];
const params = Type.Object({ assistant_id: assistantId });
const settings = { bodyLimit: 65_536 };

const record = Type.Optional(nullable(openRecord({ maxProperties: 100 })));
const assistantConfig = Type.Optional(
  nullable(
    Type.Object({
      configurable: record,
      tags: Type.Optional(nullable(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 100 }))),
      recursion_limit: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 10_000 }))),
    }),
  ),
);
const graphId = Type.String({ minLength: 1, maxLength: 128 });
const name = Type.String({ minLength: 1, maxLength: 256 });
const description = Type.Optional(nullable(Type.String({ maxLength: 4_096 })));

export const newAssistant = Type.Object({
  graph_id: graphId,
  assistant_id: Type.Optional(
    nullable(
      Type.String({
        pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
        description: 'A UUID; made by the gateway when absent.',
      }),
    ),
  ),
  name: Type.Optional(nullable(name)),
  description,
  config: assistantConfig,
  context: record,
  metadata: record,
  if_exists: Type.Optional(
    oneOf(['raise', 'do_nothing'], {
      description: 'For one that the caller has already: 409, which is the default, or the one as it is.',
    }),
  ),
});
export type NewAssistant = Static<typeof newAssistant>;

export const assistantChange = Type.Object({
  graph_id: Type.Optional(nullable(graphId)),
  name: Type.Optional(nullable(name)),
  description,
  config: assistantConfig,
  context: record,
  metadata: Type.Optional(
    nullable(openRecord({ maxProperties: 100, description: 'Merged into what is there.' })),
  ),
});
export type AssistantChange = Static<typeof assistantChange>;

const filters = {
  graph_id: Type.Optional(nullable(graphId)),
  name: Type.Optional(
    nullable(Type.String({ maxLength: 256, description: 'Part of the name, whatever its case.' })),
  ),
  metadata: Type.Optional(
    nullable(
      openRecord({
        maxProperties: 20,
        description: 'Each key must hold this value, or an object or a list that contains it.',
      }),
    ),
  ),
};
const limit = Type.Optional(wholeNumber({ minimum: 1, maximum: 1000, default: 10 }));
const offset = pageOffset;

export const assistantFilter = Type.Object(filters);
export type AssistantFilter = Static<typeof assistantFilter>;

export const assistantSearch = Type.Object({
  ...filters,
  limit,
  offset,
  sort_by: Type.Optional(nullable(oneOf(['assistant_id', 'graph_id', 'name', 'created_at', 'updated_at']))),
  sort_order: Type.Optional(nullable(oneOf(['asc', 'desc'], { description: 'Default `desc`.' }))),
  select: Type.Optional(nullable(Type.Array(oneOf(assistantFields), { maxItems: 20 }))),
});
export type AssistantSearch = Static<typeof assistantSearch>;

export const searchAssistants = {
  method: 'POST',
  url: '/api/assistants/search',
  config: { access: 'conversation:read', ...settings },
  schema: {
    summary: 'The assistants that the caller can run',
    description:
      "Those of the graphs, the caller's agents and the caller's own, the newest first unless `sort_by` says otherwise. Headers: `X-Pagination-Total`, and `X-Pagination-Next` where there is more.",
    tags,
    body: assistantSearch,
    response: { 200: Type.Array(foundAssistant) },
  },
} as const satisfies Endpoint;

export const countAssistants = {
  method: 'POST',
  url: '/api/assistants/count',
  config: { access: 'conversation:read', ...settings },
  schema: {
    summary: 'How many assistants a search would find',
    tags,
    body: assistantFilter,
    response: { 200: Type.Integer() },
  },
} as const satisfies Endpoint;

export const createAssistant = {
  method: 'POST',
  url: '/api/assistants',
  config: { access: 'conversation:write', ...settings },
  schema: {
    summary: 'Make an assistant: a graph with settings of its own',
    tags,
    body: newAssistant,
    response: { 200: assistant },
  },
} as const satisfies Endpoint;

export const getAssistant = {
  method: 'GET',
  url: '/api/assistants/:assistant_id',
  config: { access: 'conversation:read' },
  schema: { summary: 'One assistant', tags, params, response: { 200: assistant } },
} as const satisfies Endpoint;

export const patchAssistant = {
  method: 'PATCH',
  url: '/api/assistants/:assistant_id',
  config: { access: 'conversation:write', ...settings },
  schema: {
    summary: 'Change an assistant, which makes its next version',
    tags,
    params,
    body: assistantChange,
    response: { 200: assistant },
  },
} as const satisfies Endpoint;

export const deleteAssistant = {
  method: 'DELETE',
  url: '/api/assistants/:assistant_id',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Delete an assistant with its versions',
    tags,
    params,
    querystring: Type.Object({
      delete_threads: Type.Optional(
        Type.Boolean({ description: 'Deletes the threads whose last run was of this assistant as well.' }),
      ),
    }),
    response: { 204: Type.Null() },
  },
} as const satisfies Endpoint;

export const assistantVersions = {
  method: 'POST',
  url: '/api/assistants/:assistant_id/versions',
  config: { access: 'conversation:read', ...settings },
  schema: {
    summary: 'The versions of an assistant, the newest first',
    tags,
    params,
    body: Type.Object({ metadata: filters.metadata, limit, offset }),
    response: { 200: Type.Array(assistant) },
  },
} as const satisfies Endpoint;

export const setLatestVersion = {
  method: 'POST',
  url: '/api/assistants/:assistant_id/latest',
  config: { access: 'conversation:write', ...settings },
  schema: {
    summary: 'Go back to a version of an assistant',
    tags,
    params,
    body: Type.Object({ version: versionNumber() }),
    response: { 200: assistant },
  },
} as const satisfies Endpoint;

export const getAssistantSchemas = {
  method: 'GET',
  url: '/api/assistants/:assistant_id/schemas',
  config: { access: 'conversation:read' },
  schema: {
    summary: "JSON Schemas of a graph's input, output, state and settings",
    tags,
    params,
    response: { 200: assistantSchemas },
  },
} as const satisfies Endpoint;

export const getAssistantGraph = {
  method: 'GET',
  url: '/api/assistants/:assistant_id/graph',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Nodes and edges of a graph',
    tags,
    params,
    querystring: Type.Object({
      xray: Type.Optional(
        Type.Union([Type.Boolean(), wholeNumber({ minimum: 0, maximum: 10 })], {
          description: 'Draws subgraphs as well; a number says how deep.',
        }),
      ),
    }),
    response: { 200: assistantGraph },
  },
} as const satisfies Endpoint;

const subgraphs = {
  method: 'GET',
  config: { access: 'conversation:read' },
} as const;
const subgraphSchema = {
  tags,
  querystring: Type.Object({
    recurse: Type.Optional(Type.Boolean({ description: 'Subgraphs of subgraphs as well.' })),
  }),
  response: { 200: Type.Record(Type.String(), subgraphSchemas) },
};

export const getAssistantSubgraphs = {
  ...subgraphs,
  url: '/api/assistants/:assistant_id/subgraphs',
  schema: { summary: 'Schemas of the subgraphs, by namespace', params, ...subgraphSchema },
} as const satisfies Endpoint;

export const getAssistantSubgraph = {
  ...subgraphs,
  url: '/api/assistants/:assistant_id/subgraphs/:namespace',
  schema: {
    summary: 'Schemas of the subgraphs of one namespace',
    params: Type.Object({ ...params.properties, namespace: Type.String({ minLength: 1, maxLength: 512 }) }),
    ...subgraphSchema,
  },
} as const satisfies Endpoint;
