import type { Command } from '@langchain/langgraph';
import { loadLangchain } from '../langchain.ts';
import { hitlForGraph } from './hitl-casing.ts';

/** A command as clients send it. */
export interface GraphCommand {
  resume?: unknown;
  update?: unknown;
  goto?: unknown;
}

/** Returns false for an empty command, which some clients send along with an input. */
export function isCommand(command: GraphCommand | null): command is GraphCommand {
  if (!command) return false;
  const { resume, update, goto } = command;
  return [resume, update, goto].some((part) => part !== undefined && part !== null);
}

/** Returns LangGraph's own command. */
export async function commandOf({ resume, update, goto }: GraphCommand): Promise<Command> {
  const { Command: OfGraph, Send } = await loadLangchain(() => import('@langchain/langgraph'));
  const { TASKS } = await loadLangchain(() => import('@langchain/langgraph-checkpoint'));
  const targets = isPresent(goto) ? [goto].flat() : [];
  const sends = targets.filter(isSend).map((to) => new Send(to.node, to.input ?? to.args));
  const nodes = targets.filter((to) => !isSend(to));
  return new OfGraph({
    ...(resume !== undefined && resume !== null && { resume: hitlForGraph(resume) }),
    ...(isPresent(update) && { update: update as Record<string, unknown> }),
    ...(sends.length > 0 && { update: withSends(update, { sends, channel: TASKS }) }),
    ...(nodes.length > 0 && { goto: nodes as string[] }),
  });
}

/**
 * Adds each `Send` to the changes of the channel where LangGraph would put it. LangGraph accepts a `Send` only from its own copy.
 * A user's graph has another copy when it has its own `node_modules` or is loaded as CommonJS.
 */
function withSends(
  update: unknown,
  { sends, channel }: { sends: object[]; channel: string },
): [string, unknown][] {
  const changes = Array.isArray(update) ? update : Object.entries(update ?? {});
  return [...changes, ...sends.map((send): [string, unknown] => [channel, send])];
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isSend(to: unknown): to is { node: string; input?: unknown; args?: unknown } {
  return typeof to === 'object' && to !== null && 'node' in to && typeof to.node === 'string';
}
