import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isRecord } from '@switchyard/contract/is-record';
import { AgentFault } from './agent-fault.ts';

/** The parts of `langgraph.json` that have an effect here, read as LangGraph's own tools read them. */
export interface LanggraphJson {
  graphs: { graphId: string; target: string; description: string | null }[];
  /** The place of the app with routes of its own: `./src/app.ts:app`; null when there is none. */
  httpApp: string | null;
  /** The place of the operator's own authentication: `./src/auth.ts:auth`; null when there is none. */
  auth: string | null;
  /** The index of meanings of the store; null when there is none. */
  storeIndex: { embed: string; dims: number | null; fields: string[] } | null;
  /** Variables for the user's code. */
  env: Record<string, string>;
  /** Keys of the file that have no effect here. */
  ignored: string[];
  /** The wishes of the file that are not met, each with what to do about it. Its graphs are used. */
  warnings: string[];
}

export const langgraphFile = 'langgraph.json';
/** A file with more graphs is a mistake. */
const maxGraphs = 100;
const known = new Set([
  '$schema',
  'graphs',
  'env',
  'http',
  'auth',
  'store',
  'checkpointer',
  'dependencies',
  'node_version',
]);

/** Returns null when the directory has no `langgraph.json`. `corsOrigins` are those that the gateway lets in. */
export function readLanggraphJson(
  directory: string,
  { corsOrigins }: { corsOrigins: readonly string[] },
): LanggraphJson | null {
  const text = read(join(directory, langgraphFile));
  if (text === null) return null;
  const root = parse(text);
  refuseUnserved(root);
  const { env, warning } = envOf(root, directory);
  const cors = corsWarning(root, corsOrigins);
  return {
    graphs: graphsOf(root),
    httpApp: httpAppOf(root),
    auth: authOf(root),
    storeIndex: storeIndexOf(root),
    env,
    ignored: ignoredKeys(root, { saysOfCors: cors !== null }),
    warnings: [warning, cors, ttlWarning(root)].filter((text) => text !== null),
  };
}

/** `dependencies` and `node_version` are for tools that install packages; here packages are already in node_modules. */
function ignoredKeys(root: Record<string, unknown>, { saysOfCors }: { saysOfCors: boolean }): string[] {
  const inside = (key: string, isIgnored: (name: string) => boolean): string[] => {
    const section = root[key];
    const names = Object.entries(isRecord(section) ? section : {}).filter(([, value]) => !isEmpty(value));
    return names
      .map(([name]) => name)
      .filter(isIgnored)
      .map((name) => `${key}.${name}`);
  };
  return [
    ...Object.keys(root).filter((key) => !known.has(key)),
    ...inside('store', (name) => name !== 'index'),
    ...inside('checkpointer', (name) => name !== 'ttl'),
    ...inside('auth', (name) => withoutEffect.auth.has(name)),
    ...inside('http', (name) => withoutEffect.http.has(name) && !(name === 'cors' && saysOfCors)),
  ];
}

/**
 * Keys without effect here. Routes of an own app always ask who calls, and there is no MCP endpoint to disable. The others decide
 * what is let in or served, so a file that has one of those is not used.
 */
const withoutEffect = {
  auth: new Set(['openapi']),
  http: new Set(['enable_custom_route_auth', 'disable_mcp', 'cors']),
};

/** `http.cors` is the gateway's to decide, and it differs in what is let in when it names other origins. */
function corsWarning({ http }: Record<string, unknown>, origins: readonly string[]): string | null {
  const cors = isRecord(http) ? http.cors : undefined;
  if (isEmpty(cors)) return null;
  const { allow_origins: asked, allow_origin_regex: pattern } = isRecord(cors) ? cors : {};
  const named = Array.isArray(asked) ? asked.map(String) : [];
  const isSame = named.length === origins.length && named.every((origin) => origins.includes(origin));
  if (isSame && isEmpty(pattern)) return null;
  const wanted = [...named, ...(isEmpty(pattern) ? [] : [`the pattern ${pattern}`])].join(', ');
  const ours = origins.length === 0 ? 'no other site' : origins.join(', ');
  return `http.cors lets in ${wanted || 'nothing'}, and the gateway ${ours}: set server.cors.origins, which takes exact origins`;
}

function ttlWarning({ checkpointer }: Record<string, unknown>): string | null {
  if (!isRecord(checkpointer) || isEmpty(checkpointer.ttl)) return null;
  return 'checkpointer.ttl has no effect here, so no thread goes by itself: give a thread its own ttl when it is made';
}

/** Keys that change what is served. Without them the graphs would not be what their author meant. */
const unserved: Record<string, string> = {
  encryption: 'nothing is encrypted here, so what threads hold would lie on the disk in the clear',
};

function refuseUnserved(root: Record<string, unknown>): void {
  for (const [key, reason] of Object.entries(unserved)) {
    if (!isEmpty(root[key])) throw fault(`has the key ${key}: ${reason}. Take the key out to use the graphs`);
  }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Each other key of `http` takes something away or opens something, so a file that has one is not used without it. */
function httpAppOf({ http }: Record<string, unknown>): string | null {
  if (isEmpty(http)) return null;
  if (!isRecord(http)) throw fault('http must be an object, for example {"app": "./src/app.ts:app"}');
  const { app, ...others } = http;
  const unknown = Object.keys(others).find((key) => !isEmpty(others[key]) && !withoutEffect.http.has(key));
  if (unknown !== undefined) {
    throw fault(
      `has the key http.${unknown}, which is not served here; only http.app is. Take the key out to use the graphs`,
    );
  }
  if (isEmpty(app)) return null;
  if (typeof app !== 'string' || app === '') throw fault('http.app must be a text such as ./src/app.ts:app');
  return app;
}

/**
 * `auth.disable_studio_auth` has no effect: no Studio is let in here without the handler, whatever it says. Each other key
 * decides who is let in, so a file that has one is not used without it.
 */
function authOf({ auth }: Record<string, unknown>): string | null {
  if (isEmpty(auth)) return null;
  if (!isRecord(auth)) throw fault('auth must be an object, for example {"path": "./src/auth.ts:auth"}');
  const { path, disable_studio_auth: isStudioOut = true, ...others } = auth;
  const unknown = Object.keys(others).find((key) => !isEmpty(others[key]) && !withoutEffect.auth.has(key));
  if (unknown !== undefined) {
    throw fault(
      `has the key auth.${unknown}, which is not served here; auth.path and auth.disable_studio_auth are. Take the key out to use the graphs`,
    );
  }
  if (typeof isStudioOut !== 'boolean') throw fault('auth.disable_studio_auth must be true or false');
  if (typeof path !== 'string' || path === '')
    throw fault('auth.path must be a text such as ./src/auth.ts:auth');
  return path;
}

/** `store.index`: the model by whose vectors items are found, the size of a vector, and the fields that are indexed. */
function storeIndexOf({ store }: Record<string, unknown>): LanggraphJson['storeIndex'] {
  if (isEmpty(store)) return null;
  if (!isRecord(store)) throw fault('store must be an object');
  const { index } = store;
  if (isEmpty(index)) return null;
  const { embed, dims = null, fields = ['$'] } = isRecord(index) ? index : {};
  if (typeof embed !== 'string' || embed === '') {
    throw fault('store.index.embed must name a model, for example openai:text-embedding-3-small');
  }
  if (dims !== null && !(Number.isInteger(dims) && Number(dims) > 0)) {
    throw fault('store.index.dims must be a whole number above 0');
  }
  const isList = Array.isArray(fields) && fields.every((field) => typeof field === 'string' && field !== '');
  if (!isList || fields.length === 0) throw fault('store.index.fields must be a list of paths such as text');
  return { embed, dims: dims as number | null, fields };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw fault(`cannot be read: ${(error as Error).message}`);
  }
}

function parse(text: string): Record<string, unknown> {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const position = /position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? null : text.slice(0, Number(position)).split('\n').length;
    throw new AgentFault(`is not valid JSON: ${message}`, { file: langgraphFile, line });
  }
  if (!isRecord(root)) throw fault('must be an object with the key graphs');
  return root;
}

function graphsOf({ graphs }: Record<string, unknown>): LanggraphJson['graphs'] {
  if (!isRecord(graphs)) {
    throw fault('needs graphs, for example {"graphs": {"agent": "./src/agent.ts:graph"}}');
  }
  const entries = Object.entries(graphs);
  if (entries.length > maxGraphs) throw fault(`names ${entries.length} graphs; ${maxGraphs} are the limit`);
  return entries.map(([graphId, value]) => {
    const target = isRecord(value) ? value.path : value;
    if (typeof target !== 'string')
      throw fault(`graphs.${graphId} must be a text such as ./src/agent.ts:graph`);
    const description = isRecord(value) && typeof value.description === 'string' ? value.description : null;
    return { graphId, target, description };
  });
}

/** `env` is either the path of a file with `NAME=value` lines, or the variables themselves. */
function envOf(
  { env }: Record<string, unknown>,
  directory: string,
): { env: Record<string, string>; warning: string | null } {
  if (env === undefined || env === null) return { env: {}, warning: null };
  if (typeof env === 'string') {
    const text = read(resolve(directory, env));
    const warning =
      text === null ? `env names the file ${env}, which does not exist: no variable is set` : null;
    const variables = Object.entries(parseEnv(text ?? ''));
    return { env: Object.fromEntries(variables.map(([name, value]) => [name, value ?? ''])), warning };
  }
  if (!isRecord(env)) throw fault('env must be the path of a file or an object of texts');
  const variables = Object.entries(env).map(([name, value]): [string, string] => {
    if (typeof value !== 'string') throw fault(`env.${name} must be a text`);
    return [name, value];
  });
  return { env: Object.fromEntries(variables), warning: null };
}

function fault(message: string): AgentFault {
  return new AgentFault(message, { file: langgraphFile });
}
