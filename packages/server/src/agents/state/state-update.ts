import type { Fault } from '@switchyard/contract/errors';
import { AppError } from '../../lib/app-error.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { commandOf, type GraphCommand } from './graph-command.ts';

export interface StateUpdate {
  values: unknown;
  /**
   * The update is applied as what this node would return in a run. Without it LangGraph finds out which node the update may come
   * from.
   */
  asNode?: string | undefined;
  /** Used in place of values. */
  command?: GraphCommand | null | undefined;
  /** Values for channels that the graph does not have are left out, as LangGraph does; otherwise they are refused. */
  ignoresUnknown?: boolean | undefined;
}

/** Returns the update in LangGraph's form. */
export async function updateOf({
  values,
  asNode,
  command,
}: StateUpdate): Promise<{ values?: Record<string, unknown>; asNode?: string }> {
  const made = command ? await commandOf(command) : values;
  return { values: made as Record<string, unknown>, ...(asNode !== undefined && { asNode }) };
}

/** Returns the update that the graph gets. Refuses nodes and channels that the graph does not have. */
export function checkedUpdate(graph: AgentGraph, update: StateUpdate): StateUpdate {
  assertNodes(graph, update);
  const { values, ignoresUnknown = false } = update;
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return update;
  const isKnown = (channel: string) => Object.hasOwn(graph.channels, channel) && !channel.startsWith('__');
  const unknown = Object.keys(values).filter((channel) => !isKnown(channel));
  if (unknown.length === 0) return update;
  if (ignoresUnknown) {
    const known = Object.entries(values).filter(([channel]) => isKnown(channel));
    return { ...update, values: Object.fromEntries(known) };
  }
  throw new AppError('state_update_invalid', {
    message: `Unknown thread-state field(s): ${unknown.sort().join(', ')}`,
  });
}

function assertNodes(graph: AgentGraph, { asNode, command }: StateUpdate): void {
  if (asNode !== undefined && !isOwnNode(asNode) && !Object.hasOwn(graph.nodes, asNode)) {
    throw new AppError('state_update_invalid', { message: `Unknown node: ${asNode}` });
  }
  for (const node of nodesIn(command?.goto)) {
    if (node !== '__end__' && !Object.hasOwn(graph.nodes, node))
      throw new AppError('state_update_invalid', { message: `Unknown node: ${node}` });
  }
}

function nodesIn(goto: unknown): string[] {
  const targets: unknown[] = goto === undefined || goto === null ? [] : [goto].flat();
  return targets.map((target) => {
    if (typeof target === 'string') return target;
    const { node } = (target ?? {}) as { node?: unknown };
    if (typeof node === 'string') return node;
    throw new AppError('state_update_invalid', { message: 'goto names a node, or is { node, input }' });
  });
}

/**
 * Turns an update that a graph cannot apply into a fault of the caller, whether LangGraph refuses it or the graph's own code
 * throws. `values` are those at the top of the body when it has a single update.
 */
export function asUpdateFault(error: unknown, values?: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const faults = refusedValues(error, values);
  if (faults.length > 0) return new AppError('validation_failed', { faults, cause: error });
  const [message = ''] = error.message.split('\n');
  return new AppError('state_update_invalid', { message, cause: error });
}

/** Returns what the schemas of the channels refuse, each with its place in the body. */
function refusedValues(error: Error, values: unknown): Fault[] {
  return issuesIn(error)
    .slice(0, maxFaults)
    .map(({ path, type, message }): Fault => {
      // The error does not name which of several updates caused it.
      if (values === undefined) {
        return { in: 'body', path: ['supersteps'], type, message: `${path.join('.')}: ${message}` };
      }
      return { in: 'body', path: ['values', ...path], type, message, input: valueAt(values, path) };
    });
}

function issuesIn(error: Error): Issue[] {
  if ('issues' in error && Array.isArray(error.issues))
    return error.issues.map((issue) => issueOf(issue, []));
  const [, field = '', text = '[]'] = error.message.match(refusedField) ?? [];
  try {
    return (JSON.parse(text) as SchemaIssue[]).map((issue) => issueOf(issue, [field]));
  } catch {
    return [];
  }
}

function issueOf({ path, code, message }: SchemaIssue, below: Path): Issue {
  const inside = (path ?? []).map((part) => {
    const key = typeof part === 'object' ? part.key : part;
    return typeof key === 'number' ? key : String(key);
  });
  return { path: [...below, ...inside], type: code ?? 'value_error', message: message ?? 'Invalid input' };
}

function valueAt(values: unknown, path: Path): unknown {
  const found = path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown> | null | undefined)?.[key],
    values,
  );
  return found ?? null;
}

/** LangGraph's message, which carries the issues of the schema as JSON. */
const refusedField = /^Validation failed for field "([^"]+)": (\[.*\])$/s;
const maxFaults = 10;

type Path = (string | number)[];

interface Issue {
  path: Path;
  type: string;
  message: string;
}

/** An issue of any schema library; only Zod sets `code`. */
interface SchemaIssue {
  path?: (PropertyKey | { key: PropertyKey })[];
  code?: string;
  message?: string;
}

/** LangGraph's names for the beginning and the end of any graph, and for a copy of a checkpoint. */
function isOwnNode(name: string): boolean {
  return name === '__input__' || name === '__end__' || name === '__copy__';
}
