import type { RunnableConfig } from '@langchain/core/runnables';
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { AppError } from '../../lib/app-error.ts';
import { loadLangchain } from '../langchain.ts';
import type { StateSaver } from './state-saver.ts';
import type { StateUpdate } from './state-update.ts';
import { type Snapshot, type WireState, wireState } from './wire-state.ts';
import type { SharedJson } from './wire-values.ts';

/**
 * Reads a state from its checkpoint alone, for threads whose graph is not here. The next nodes come from the channels through
 * which LangGraph's edges lead to nodes; tasks come from what was written for them.
 */
export function storedState(tuple: CheckpointTuple, shared?: SharedJson): WireState {
  const { checkpoint, config, metadata, parentConfig, pendingWrites = [] } = tuple;
  const channels = Object.entries(checkpoint.channel_values);
  const next = channels
    .map(([channel]) => channel)
    .filter(isEdge)
    .map((edge) => edge.slice(edgeMark.length));
  const snapshot: Snapshot = {
    values: Object.fromEntries(channels.filter(([channel]) => !isInternal(channel))),
    next,
    tasks: tasksFrom(pendingWrites, next),
    metadata,
    config,
    createdAt: checkpoint.ts,
    parentConfig,
  };
  return wireState(snapshot, shared);
}

/** Replaces channel by channel, because without the graph its reducers are not known. */
export async function updateStored(
  checkpointer: StateSaver,
  config: RunnableConfig,
  updates: StateUpdate[],
): Promise<RunnableConfig> {
  const { copyCheckpoint, emptyCheckpoint, uuid6 } = await loadLangchain(
    () => import('@langchain/langgraph-checkpoint'),
  );
  const saved = await checkpointer.getTuple(config);
  const checkpoint = saved ? copyCheckpoint(saved.checkpoint) : emptyCheckpoint();
  const step = (saved?.metadata?.step ?? -2) + 1;
  for (const [channel, value] of updates.flatMap(entriesOf)) {
    checkpoint.channel_values[channel] = value;
    checkpoint.channel_versions[channel] = checkpointer.getNextVersion(
      checkpoint.channel_versions[channel] as number | undefined,
    );
  }
  return checkpointer.put(
    { ...config, configurable: { ...config.configurable, ...saved?.config.configurable } },
    { ...checkpoint, id: uuid6(step), ts: new Date().toISOString() },
    { source: 'update', step, parents: saved?.metadata?.parents ?? {} },
    {},
  );
}

const edgeMark = 'branch:to:';

function isEdge(channel: string): boolean {
  return channel.startsWith(edgeMark);
}

function isInternal(channel: string): boolean {
  return isEdge(channel) || channel.startsWith('__') || /^(branch|join|start):/.test(channel);
}

function tasksFrom(writes: NonNullable<CheckpointTuple['pendingWrites']>, next: string[]): Snapshot['tasks'] {
  const [only = ''] = next.length === 1 ? next : [];
  const tasks = new Map<string, Snapshot['tasks'][number]>();
  for (const [id, channel, value] of writes) {
    if (channel !== '__interrupt__' && channel !== '__error__') continue;
    const task = tasks.get(id) ?? { id, name: only, interrupts: [] };
    // LangGraph 1.4 wrote one question, later versions write a list of them.
    if (channel === '__interrupt__') task.interrupts.push(...[value].flat());
    else task.error = value;
    tasks.set(id, task);
  }
  return [...tasks.values()];
}

function entriesOf({ values, command }: StateUpdate): [string, unknown][] {
  if (command) {
    throw new AppError('state_update_invalid', { message: 'A command needs the graph of this thread.' });
  }
  if (values === null || values === undefined) return [];
  if (typeof values !== 'object' || Array.isArray(values)) {
    throw new AppError('state_update_invalid', { message: 'values must be an object of channels.' });
  }
  return Object.entries(values).filter(([channel]) => !isInternal(channel));
}
