import type { BaseMessage } from '@langchain/core/messages';
import { once } from '../../lib/once.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import { leadAgentName } from '../agent-ids.ts';
import { loadLangchain, modelNode } from '../langchain.ts';
import type { SummarizationSettings } from '../middleware/summarization.ts';
import type { ChatModelsOptions } from '../models/chat-models.ts';
import type { GraphStates, StatefulThread } from '../state/graph-state.ts';
import type { CompactedMessages, CompactionRequest } from './compact-messages.ts';

/** The conversation after the compaction, with the id of its newest state. */
export interface Compacted extends Omit<CompactedMessages, 'update'> {
  isCompacted: boolean;
  checkpointId: string | null;
}

export interface CompactionTask extends CompactionRequest {
  /** Begins the units that store the new state; throws when the thread has changed meanwhile. */
  confirm: UnitPart;
}

/** Compacts the conversation of a thread of the lead agent. */
export type Compact = (
  thread: Pick<StatefulThread, 'threadId' | 'userId'>,
  task: CompactionTask,
) => Promise<Compacted>;

export function compactor({
  states,
  settings,
  ...options
}: {
  states: Pick<GraphStates, 'channelOf' | 'updateIf'>;
  models: ChatModelsOptions;
  settings: SummarizationSettings;
}): Compact {
  const loaded = once(() =>
    loadLangchain(async () => {
      const { compactMessages } = await import('./compact-messages.ts');
      const { ChatModels } = await import('../models/chat-models.ts');
      return { compactMessages, models: new ChatModels(options.models) };
    }),
  );
  return async (thread, { confirm, ...request }) => {
    const saved = await states.channelOf(thread, 'messages');
    const messages = Array.isArray(saved?.value) ? (saved.value as BaseMessage[]) : [];
    const { compactMessages, models } = await loaded();
    const { update, ...counts } = await compactMessages(messages, request, { models, settings });
    if (!update) return { ...counts, isCompacted: false, checkpointId: saved?.checkpointId ?? null };
    const about = { ...thread, graphId: leadAgentName };
    // After this node a turn without open calls is over.
    const made = await states.updateIf(about, { values: update, asNode: modelNode }, confirm);
    return { ...counts, isCompacted: true, checkpointId: made.checkpoint_id };
  };
}
