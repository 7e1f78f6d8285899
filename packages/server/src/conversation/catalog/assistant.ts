import type { Assistant, AssistantField, FoundAssistant } from '@switchyard/contract/conversation/assistant';
import type { AssistantFilter, AssistantSearch } from '@switchyard/contract/conversation/assistants';
import { leadAgentName } from '../../agents/agent-ids.ts';
import type { AgentDescription, ResolvedAgent } from '../../agents/loading/agents.ts';
import { toIso } from '../../lib/clock.ts';
import { jsonContains } from '../../lib/json-contains.ts';
import type { StoredAgent } from '../custom-agents/custom-agent.ts';
import type { AssistantRow, AssistantVersionRow } from '../tables.ts';

/** The same at every replica and after each start. It lies before everything that users have made. */
const madeWithTheGateway = toIso(Date.UTC(2025, 0, 1));

/** The assistant that the gateway makes for a graph. */
export function systemAssistant({
  graphId,
  assistantId,
  description,
  config,
  context,
}: Omit<AgentDescription, 'fault' | 'from'>): Assistant {
  return {
    assistant_id: assistantId,
    graph_id: graphId,
    name: graphId,
    description,
    config,
    context,
    metadata: { created_by: 'system' },
    version: 1,
    created_at: madeWithTheGateway,
    updated_at: madeWithTheGateway,
  };
}

/** A custom agent as clients of the Platform see it. Each run reads its settings, so none are shown here. */
export function agentAssistant({ name, description, changedMs }: StoredAgent): Assistant {
  const at = toIso(changedMs);
  return {
    assistant_id: name,
    graph_id: leadAgentName,
    name,
    description,
    config: {},
    context: {},
    metadata: { created_by: 'user' },
    version: 1,
    created_at: at,
    updated_at: at,
  };
}

export function storedAssistant({ user_id: _user, ...row }: AssistantRow): Assistant {
  return {
    ...row,
    config: JSON.parse(row.config) as Record<string, unknown>,
    context: JSON.parse(row.context) as Record<string, unknown>,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  };
}

/** A version never changes, so its time of change is its time of creation. */
export function versionOf(row: AssistantVersionRow): Assistant {
  return storedAssistant({ ...row, updated_at: row.created_at });
}

export function resolvedAgent(row: AssistantRow): ResolvedAgent {
  const { assistant_id: assistantId, graph_id: graphId, config, context, metadata } = storedAssistant(row);
  return { assistantId, graphId, config, context, metadata };
}

export function fits({ name, graph_id, metadata }: Assistant, filter: AssistantFilter): boolean {
  if (filter.graph_id && filter.graph_id !== graph_id) return false;
  if (filter.name && !name.toLowerCase().includes(filter.name.toLowerCase())) return false;
  return hasAll(metadata, filter.metadata);
}

export function hasAll(
  metadata: Record<string, unknown>,
  wanted: Record<string, unknown> | null | undefined,
): boolean {
  return Object.entries(wanted ?? {}).every(
    ([key, value]) => Object.hasOwn(metadata, key) && jsonContains(metadata[key], value),
  );
}

/** The newest first, unless the caller asks for another order. */
export function inOrder(
  assistants: Assistant[],
  { sort_by: field, sort_order: order }: AssistantSearch,
): Assistant[] {
  const sign = order === 'asc' ? 1 : -1;
  return assistants.toSorted((a, b) => sign * compare(a[field ?? 'created_at'], b[field ?? 'created_at']));
}

export function selected(
  assistant: Assistant,
  fields: readonly AssistantField[] | null | undefined,
): FoundAssistant {
  if (!fields) return assistant;
  return Object.fromEntries(fields.map((field) => [field, assistant[field]]));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
