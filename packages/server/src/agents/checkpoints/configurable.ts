import type { RunnableConfig } from '@langchain/core/runnables';
import { getCheckpointId } from '@langchain/langgraph-checkpoint';

export interface CheckpointKey {
  threadId: string;
  namespace: string;
  id: string;
}

type Configurable = NonNullable<RunnableConfig['configurable']>;

/** Returns a text that names something, or undefined when it is not given. Any other value is the caller's mistake. */
export function configurableText(config: RunnableConfig | undefined, field: string): string | undefined {
  const value: unknown = config?.configurable?.[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value.includes('\0')) {
    throw new TypeError(`configurable.${field} must be text without U+0000.`);
  }
  return value;
}

export function requiredText(config: RunnableConfig, field: string): string {
  const value = configurableText(config, field);
  if (!value) throw new TypeError(`configurable.${field} is missing. A checkpointer needs it.`);
  return value;
}

/** Returns the key of the wanted checkpoint, without an id when the newest one is wanted. */
export function keyOf(config: RunnableConfig): Partial<CheckpointKey> & { namespace: string } {
  const id = getCheckpointId(config);
  const threadId = configurableText(config, 'thread_id');
  return {
    namespace: configurableText(config, 'checkpoint_ns') ?? '',
    ...(threadId !== undefined && { threadId }),
    ...(id && { id }),
  };
}

export function configOf({ threadId, namespace, id }: CheckpointKey): { configurable: Configurable } {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id } };
}
