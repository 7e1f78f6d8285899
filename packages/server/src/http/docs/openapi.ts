import { STATUS_CODES } from 'node:http';
import { type Area, areaOfPath } from '@switchyard/contract/areas';
import type { Access, Endpoint } from '@switchyard/contract/endpoint';
import { conversationError, dispatchError } from '@switchyard/contract/error-bodies';
import type { App } from '../app.ts';

/** A JSON Schema. Those of the contract are valid in OpenAPI 3.1 unchanged. */
export type Schema = Record<string, unknown>;

interface Content {
  [mediaType: string]: { schema: Schema };
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: true;
  tags: readonly string[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; content: Content } | { $ref: string }>;
  security: Record<string, string[]>[];
  'x-access': Access;
  'x-area': Area;
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

/** Collects every endpoint of the contract that is registered from now on. */
export function collectEndpoints(app: App): readonly Endpoint[] {
  const endpoints: Endpoint[] = [];
  app.addHook('onRoute', (route) => {
    if (isDescribed(route)) endpoints.push(route);
  });
  return endpoints;
}

/** The files of the console and the methods that the server adds by itself have no description. */
function isDescribed(route: { method: unknown; schema?: object }): route is Endpoint {
  const isAdded = route.method === 'HEAD' || route.method === 'OPTIONS';
  return !isAdded && route.schema !== undefined && 'summary' in route.schema && 'response' in route.schema;
}

/**
 * Returns the interface as OpenAPI 3.1. It uses the schemas by which the routes validate, so nothing is written twice.
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  { version }: { version: string },
): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const endpoint of endpoints) {
    const path = endpoint.url.replace(/:(\w+)/g, '{$1}').replace('*', `{${wildcardName}}`);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      description:
        'One self-hosted gateway for ComfyUI workers and LangGraph.js agents. Each path directly below `/comfy` is below `/comfy/api` as well.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.flatMap(({ schema }) => schema.tags))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { DispatchError: dispatchError, ConversationError: conversationError },
      responses: { dispatch: failure('DispatchError'), conversation: failure('ConversationError') },
      securitySchemes,
    },
  };
}

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A personal access token (`sy_pat_…`); in the dispatch area also the token of `POST /api/auth/login`.',
  },
  accessToken: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A personal access token.' },
  session: { type: 'apiKey', in: 'cookie', name: 'access_token', description: 'The session of a browser.' },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description:
      'With a session, on every request that changes something: the value of the cookie `csrf_token`.',
  },
};

function operationOf({ method, url, config, schema }: Endpoint): Operation {
  const area = areaOfPath(url);
  const requestBody = requestBodyOf(schema);
  const description = [schema.description, deprecationText(config)].filter((text) => text !== undefined);
  return {
    operationId: operationId(method, url),
    summary: schema.summary,
    ...(description.length > 0 && { description: description.join(' ') }),
    ...(config.deprecated && { deprecated: true }),
    tags: schema.tags,
    parameters: [
      ...parametersOf(schema.params, 'path'),
      ...parametersOf(schema.querystring, 'query'),
      ...parametersOf(schema.headers, 'header'),
    ],
    ...(requestBody && { requestBody }),
    responses: { ...answersOf(schema), default: failureOf(schema, area) },
    security: securityOf(config, method),
    'x-access': config.access,
    'x-area': area,
  };
}

function deprecationText({ deprecated }: Endpoint['config']): string | undefined {
  if (!deprecated) return undefined;
  const { since, until, instead } = deprecated;
  return `Deprecated since ${since}, and answers at least until ${until}: use \`${instead}\`.`;
}

/** Replaces the router's `*`: the rest of a path, including slashes. OpenAPI has no word for it. */
const wildcardName = 'path';

function operationId(method: string, url: string): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

function parametersOf(schema: unknown, where: Parameter['in']): Parameter[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name: name === '*' ? wildcardName : name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(typeof description === 'string' && { description }),
    schema: rest,
  }));
}

function requestBodyOf({ body, consumes }: Endpoint['schema']): Operation['requestBody'] {
  if (body === undefined && consumes === undefined) return undefined;
  const schema = (body ?? { type: 'object', description: 'One part with the file.' }) as Schema;
  return { required: !acceptsNull(schema), content: contentOf(schema, consumes) };
}

/** A body that may be left out is validated as null. */
function acceptsNull({ type, anyOf }: Schema): boolean {
  const branches = Array.isArray(anyOf) ? (anyOf as Schema[]) : [];
  return [type].flat().includes('null') || branches.some(acceptsNull);
}

function answersOf({ response, produces }: Endpoint['schema']): Operation['responses'] {
  return Object.fromEntries(
    Object.entries(response).map(([status, schema]) => [
      status,
      { description: STATUS_CODES[status] ?? 'Answer', content: contentOf(schema as Schema, produces) },
    ]),
  );
}

function contentOf(schema: Schema, mediaTypes: readonly string[] = ['application/json']): Content {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}

function securityOf(config: Endpoint['config'], method: string): Operation['security'] {
  const { access, sessionOnly, headerOnly, door } = config;
  if (access === 'public') return [];
  const needed = access === 'session' ? [] : [access];
  const session = method === 'GET' ? { session: needed } : { session: needed, csrf: [] };
  const ofDoor = door ? [{ bearer: [door] }, { accessToken: [door] }] : [];
  const headers = [{ bearer: needed }, { accessToken: needed }, ...ofDoor];
  if (sessionOnly) return [session];
  return headerOnly ? headers : [...headers, session];
}

function failureOf({ errorBody }: Endpoint['schema'], area: Area): Operation['responses'][string] {
  if (errorBody === undefined) return { $ref: `#/components/responses/${area}` };
  return { description: 'The request failed.', content: contentOf(errorBody as unknown as Schema) };
}

function failure(name: string): Schema {
  return {
    description: 'The request failed; the error catalogue lists every code.',
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  };
}
