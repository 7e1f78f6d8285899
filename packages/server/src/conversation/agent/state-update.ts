import { AppError } from '../../lib/app-error.ts';
import type { AgentGraph } from './agents.ts';
import { commandOf, type GraphCommand } from './graph-command.ts';

export interface StateUpdate {
  values: unknown;
  /** With it, what a run would make of the node's answer; without it LangGraph finds out whose update it can be. */
  asNode?: string | undefined;
  /** In place of values. */
  command?: GraphCommand | null | undefined;
}

/** As LangGraph takes it. */
export async function updateOf({ values, asNode, command }: StateUpdate): Promise<{
  values?: Record<string, unknown>;
  asNode?: string;
}> {
  const made = command ? await commandOf(command) : values;
  return { values: made as Record<string, unknown>, ...(asNode !== undefined && { asNode }) };
}

/** A channel that the graph does not have is a mistake of the caller's, which LangGraph would pass over. */
export function assertChannels(graph: AgentGraph, { values, asNode }: StateUpdate): void {
  if (asNode !== undefined && !isOwnNode(asNode) && !Object.hasOwn(graph.nodes, asNode)) {
    throw new AppError('state_update_invalid', { message: `Unknown node: ${asNode}` });
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return;
  const unknown = Object.keys(values).filter(
    (channel) => !Object.hasOwn(graph.channels, channel) || channel.startsWith('__'),
  );
  if (unknown.length === 0) return;
  throw new AppError('state_update_invalid', {
    message: `Unknown thread-state field(s): ${unknown.sort().join(', ')}`,
  });
}

/** What LangGraph cannot apply is the caller's to correct; anything else is thrown as it is. */
export function asUpdateFault(error: unknown): unknown {
  if (!(error instanceof Error && isFault(error))) return error;
  const [message = ''] = error.message.split('\n');
  return new AppError('state_update_invalid', { message, cause: error });
}

function isFault(error: Error): boolean {
  // A value that the schema of a channel refuses has no class and no code of its own.
  const isRefused = error.message.startsWith('Validation failed for field ');
  return isRefused || faultNames.has(error.name) || isNoMessage(error);
}

/** Something stands among the messages that is none. */
function isNoMessage(error: Error): boolean {
  return 'lc_error_code' in error && error.lc_error_code === 'MESSAGE_COERCION_FAILURE';
}

const faultNames: ReadonlySet<string> = new Set(['InvalidUpdateError', 'GraphValueError', 'ZodError']);

/** Names that stand for the beginning and the end of any graph, and for a copy of a checkpoint. */
function isOwnNode(name: string): boolean {
  return name === '__input__' || name === '__end__' || name === '__copy__';
}
