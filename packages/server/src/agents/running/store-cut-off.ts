import type { BaseMessage } from '@langchain/core/messages';
import { modelNode } from '../langchain.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { withResults } from '../middleware/dangling-calls.ts';
import type { Message } from './observed-messages.ts';
import type { RunConfig } from './run-config.ts';
import type { RunObserver } from './run-observer.ts';

const toolsNode = 'tools';

interface CutOffRun {
  runId: string;
  config: Pick<RunConfig, 'configurable' | 'metadata'>;
  observer: Pick<RunObserver, 'recordCutOff' | 'recordResults'>;
}

/**
 * Stores what a run had said when it was stopped: in its record, and in the state of an agent. Calls of tools that have no result
 * get one, because providers refuse a conversation without it. The state then waits for nothing. The state of a graph that a user
 * has built otherwise stays as it is, because its nodes may do something else with an answer than to say it.
 */
export async function storeCutOff(graph: AgentGraph, { runId, config, observer }: CutOffRun): Promise<void> {
  const answers = observer.recordCutOff();
  if (!Object.hasOwn(graph.nodes, modelNode)) return;
  const at = {
    configurable: { ...config.configurable, checkpoint_id: undefined, checkpoint_map: undefined },
    metadata: config.metadata,
  };
  const { values, metadata } = await graph.getState(at);
  // Until its first checkpoint, a run has not even stored the question.
  if ((metadata as { run_id?: unknown } | undefined)?.run_id !== runId) return;
  const said = answers.flatMap(({ message, node }) => (node === modelNode ? [message] : []));
  const results = missingResults((values as { messages?: unknown }).messages);
  const updates = [
    ...(said.length > 0 ? [{ values: { messages: said }, asNode: modelNode }] : []),
    ...(results.length > 0 ? [{ values: { messages: results }, asNode: toolsNode }] : []),
  ];
  if (updates.length === 0) return;
  const end = { values: null, asNode: '__end__' };
  await graph.bulkUpdateState(at, [{ updates }, { updates: [end] }]);
  observer.recordResults(results);
}

function missingResults(messages: unknown): Message[] {
  if (!Array.isArray(messages)) return [];
  const made = withResults(messages as BaseMessage[]).filter((message) => !messages.includes(message));
  return made as unknown as Message[];
}
