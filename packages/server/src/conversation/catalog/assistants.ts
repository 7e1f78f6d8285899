import type {
  Assistant,
  AssistantGraph,
  AssistantSchemas,
  FoundAssistant,
  SubgraphSchemas,
} from '@switchyard/contract/conversation/assistant';
import type {
  AssistantChange,
  AssistantFilter,
  AssistantSearch,
  NewAssistant,
} from '@switchyard/contract/conversation/assistants';
import { say } from '@switchyard/contract/sentences/sentences';
import { AgentFault } from '../../agents/loading/agent-fault.ts';
import type { AgentGraph, Agents, GraphRuntime } from '../../agents/loading/agents.ts';
import type { GraphShapes } from '../../agents/state/graph-shapes.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import type { CustomAgents } from '../custom-agents/custom-agents.ts';
import { userScope } from '../user-scope.ts';
import {
  agentAssistant,
  fits,
  hasAll,
  inOrder,
  selected,
  storedAssistant,
  systemAssistant,
  versionOf,
} from './assistant.ts';
import type { AssistantStore } from './assistant-store.ts';

/** One user may have this many assistants; a hundred would already be many. */
const maxPerUser = 200;
const reading: GraphRuntime = { accessContext: 'assistants.read', executionRuntime: null };

/**
 * Agents as clients see them: one assistant for each graph, one for each custom agent of the user, and those that users make with
 * settings of their own.
 */
export class Assistants {
  readonly #options;

  constructor(options: {
    agents: Pick<Agents, 'ids' | 'describe' | 'describeAll' | 'graphOf' | 'resolve' | 'graph'>;
    shapes: Pick<GraphShapes, 'schemas' | 'drawing' | 'subgraphs'>;
    store: AssistantStore;
    customAgents: Pick<CustomAgents, 'list' | 'find' | 'nameOf'>;
    /** Deletes the user's threads of an assistant. */
    deleteThreads: (owner: Owner, assistantId: string) => Promise<void>;
    clock: Clock;
  }) {
    this.#options = options;
  }

  /** Leaves out graphs that cannot be loaded. Asked for by name, such a graph says why. */
  async search(owner: Owner, requested: AssistantSearch): Promise<{ page: FoundAssistant[]; total: number }> {
    const { limit = 10, offset = 0, select } = requested;
    const found = inOrder(await this.#fitting(owner, requested), requested);
    const page = found.slice(offset, offset + limit).map((assistant) => selected(assistant, select));
    return { page, total: found.length };
  }

  async count(owner: Owner, filter: AssistantFilter): Promise<number> {
    return (await this.#fitting(owner, filter)).length;
  }

  async get(owner: Owner, named: string): Promise<Assistant> {
    const { agents } = this.#options;
    const graphId = agents.graphOf(named);
    if (graphId === undefined) return this.#own(owner, named);
    const described = await agents.describe(graphId);
    if (described.fault) throw faulty(described.fault);
    return systemAssistant(described);
  }

  /** Returns true for an assistant that the user has made, with metadata of their own. */
  async isStored(owner: Owner, named: string): Promise<boolean> {
    const { agents, store } = this.#options;
    return agents.graphOf(named) === undefined && (await store.get(owner, named)) !== undefined;
  }

  async create(owner: Owner, requested: NewAssistant): Promise<Assistant> {
    const { agents, store, clock } = this.#options;
    this.#requireGraph(requested.graph_id);
    const at = toIso(clock());
    const assistantId = requested.assistant_id ?? newId();
    if (agents.graphOf(assistantId) !== undefined) {
      if (requested.if_exists === 'do_nothing') return this.get(owner, assistantId);
      throw new AppError('assistant_exists');
    }
    const row = {
      assistant_id: assistantId,
      graph_id: requested.graph_id,
      name: requested.name ?? 'Untitled',
      description: requested.description ?? null,
      config: JSON.stringify(requested.config ?? {}),
      context: JSON.stringify(requested.context ?? {}),
      metadata: JSON.stringify(requested.metadata ?? {}),
      version: 1,
      created_at: at,
      updated_at: at,
    };
    const present = await store.insert(owner, row, { max: maxPerUser });
    if (present && requested.if_exists !== 'do_nothing') throw new AppError('assistant_exists');
    return present ? storedAssistant(present) : storedAssistant({ ...row, user_id: '' });
  }

  async patch(owner: Owner, named: string, requested: AssistantChange): Promise<Assistant> {
    const { store, clock } = this.#options;
    await this.#requireOwn(owner, named);
    if (requested.graph_id) this.#requireGraph(requested.graph_id);
    const changed = await store.change(owner, named, {
      at: toIso(clock()),
      change: (present) => ({
        graph_id: requested.graph_id ?? present.graph_id,
        name: requested.name ?? present.name,
        description: requested.description === undefined ? present.description : requested.description,
        config: requested.config ? JSON.stringify(requested.config) : present.config,
        context: requested.context ? JSON.stringify(requested.context) : present.context,
        metadata: merged(present.metadata, requested.metadata),
      }),
    });
    if (!changed) throw notFound(named);
    return storedAssistant(changed);
  }

  /** The threads go first, so that a request that fails on the way can be repeated. */
  async delete(owner: Owner, named: string, { withThreads }: { withThreads: boolean }): Promise<void> {
    await this.#requireOwn(owner, named);
    if (withThreads) await this.#options.deleteThreads(owner, named);
    if (!(await this.#options.store.delete(owner, named))) throw notFound(named);
  }

  async versions(
    owner: Owner,
    named: string,
    page: { metadata?: Record<string, unknown> | null | undefined; limit: number; offset: number },
  ): Promise<Assistant[]> {
    const present = await this.get(owner, named);
    const rows = await this.#options.store.versions(owner, present.assistant_id);
    const all = rows.length > 0 ? rows.map(versionOf) : [present];
    const fitting = all.filter(({ metadata }) => hasAll(metadata, page.metadata));
    return fitting.slice(page.offset, page.offset + page.limit);
  }

  async useVersion(owner: Owner, named: string, version: number): Promise<Assistant> {
    await this.#requireOwn(owner, named);
    const at = toIso(this.#options.clock());
    const row = await this.#options.store.useVersion(owner, named, { version, at });
    if (!row) {
      const message = `Assistant version not found: ${named} has no version ${version}`;
      throw new AppError('assistant_not_found', { message });
    }
    return storedAssistant(row);
  }

  async schemas(owner: Owner, named: string): Promise<AssistantSchemas> {
    const { graph, graphId } = await this.#graph(owner, named);
    return this.#options.shapes.schemas(graph, graphId);
  }

  async drawing(owner: Owner, named: string, xray: boolean | number): Promise<AssistantGraph> {
    const { graph, graphId } = await this.#graph(owner, named);
    return { graph_id: graphId, ...(await this.#options.shapes.drawing(graph, xray)) };
  }

  async subgraphs(
    owner: Owner,
    named: string,
    requested: { namespace?: string; recurse: boolean },
  ): Promise<Record<string, SubgraphSchemas>> {
    const { graph, graphId } = await this.#graph(owner, named);
    return this.#options.shapes.subgraphs(graph, { graphId, ...requested });
  }

  async #graph(owner: Owner, named: string): Promise<{ graph: AgentGraph; graphId: string }> {
    const { graphId, config } = await this.#options.agents.resolve(owner, named);
    const userId = userScope(owner) ?? '';
    try {
      const graph = await this.#options.agents.graph(graphId, { userId, config, runtime: reading });
      return { graph, graphId };
    } catch (error) {
      throw error instanceof AgentFault ? faulty(error) : error;
    }
  }

  async #fitting(owner: Owner, filter: AssistantFilter): Promise<Assistant[]> {
    const described = await this.#options.agents.describeAll();
    const working = described.filter(({ fault }) => fault === null);
    const rows = await this.#options.store.list(owner);
    const all = [
      ...working.map((each) => systemAssistant(each)),
      ...(await this.#options.customAgents.list(owner)).map(agentAssistant),
      ...rows.map(storedAssistant),
    ];
    return all.filter((assistant) => fits(assistant, filter));
  }

  #requireGraph(graphId: string): void {
    if (this.#options.agents.ids().includes(graphId)) return;
    throw new AppError('assistant_not_found', { message: `Graph "${graphId}" not found` });
  }

  async #own(owner: Owner, named: string): Promise<Assistant> {
    const row = await this.#options.store.get(owner, named);
    if (row) return storedAssistant(row);
    const agent = await this.#options.customAgents.find(owner, named);
    if (!agent) throw notFound(named);
    return agentAssistant(agent);
  }

  /** Refuses fields that are changed elsewhere or cannot change. */
  async #requireOwn(owner: Owner, named: string): Promise<void> {
    const { agents, store, customAgents } = this.#options;
    if (agents.graphOf(named) !== undefined) throw new AppError('assistant_built_in');
    if (await store.get(owner, named)) return;
    const name = await customAgents.nameOf(owner, named);
    if (name === null) return;
    const message = `This is your agent '${name}'. Change or delete it at /api/agents/${name}.`;
    throw new AppError('assistant_built_in', { message });
  }
}

function merged(present: string, change: Record<string, unknown> | null | undefined): string {
  if (!change) return present;
  return JSON.stringify({ ...(JSON.parse(present) as object), ...change });
}

function notFound(named: string): AppError {
  return new AppError('assistant_not_found', { message: `Assistant ${named} not found`, named });
}

function faulty(fault: AgentFault): AppError {
  return new AppError('agent_faulty', {
    message: say('agent_unloadable', { cause: fault.message }),
    cause: fault,
  });
}
