import type { Command } from '@langchain/langgraph';
import { hitlForGraph } from './hitl-casing.ts';
import { loadLangchain } from './langchain.ts';

/** As clients send it. */
export interface GraphCommand {
  resume?: unknown;
  update?: unknown;
  goto?: unknown;
}

/** Whether it says anything; some clients send an empty one along with an input. */
export function isCommand(command: GraphCommand | null): command is GraphCommand {
  if (!command) return false;
  const { resume, update, goto } = command;
  return [resume, update, goto].some((part) => part !== undefined && part !== null);
}

/** LangGraph's own. */
export async function commandOf({ resume, update, goto }: GraphCommand): Promise<Command> {
  const { Command: OfGraph, Send } = await loadLangchain(() => import('@langchain/langgraph'));
  const target = (to: unknown): unknown => (isSend(to) ? new Send(to.node, to.input ?? to.args) : to);
  return new OfGraph({
    ...(resume !== undefined && resume !== null && { resume: hitlForGraph(resume) }),
    ...(isPresent(update) && { update: update as Record<string, unknown> }),
    ...(isPresent(goto) && { goto: (Array.isArray(goto) ? goto.map(target) : target(goto)) as string }),
  });
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isSend(to: unknown): to is { node: string; input?: unknown; args?: unknown } {
  return typeof to === 'object' && to !== null && 'node' in to && typeof to.node === 'string';
}
