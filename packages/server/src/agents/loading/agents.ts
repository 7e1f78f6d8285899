import type { BaseChannel, Pregel, PregelNode } from '@langchain/langgraph';
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Owner } from '../../lib/owner.ts';
import { assistantIdOf, leadAgentName } from '../agent-ids.ts';
import { loadLangchain } from '../langchain.ts';
import type { StoreItems } from '../store/store-items.ts';
import { AgentFault } from './agent-fault.ts';
import type { AgentModules } from './load-agent-modules.ts';
import type { ExportPlace } from './load-export.ts';

/** A compiled graph, from any compiler and any copy of LangGraph. */
export type AgentGraph = Pregel<Record<string, PregelNode>, Record<string, BaseChannel>>;
/** The config of a run, or of the run whose states are looked at. */
export interface GraphConfig {
  configurable?: Record<string, unknown>;
}
/** The argument of a factory. The store and the checkpointer are those that the graph will have. */
export interface FactoryConfig extends GraphConfig {
  store?: BaseStore;
  checkpointer?: BaseCheckpointSaver;
}
/** The purpose for which a graph is made, in the form of `ServerRuntime` of LangGraph's SDK. */
export type GraphRuntime =
  | { accessContext: 'threads.create_run'; executionRuntime: { context: object | undefined } }
  | { accessContext: 'assistants.read' | 'threads.read' | 'threads.update'; executionRuntime: null };
export type GraphFactory = (
  config: FactoryConfig,
  made: { userId: string; runtime: GraphRuntime },
) => Promise<AgentGraph>;

/** One graph that this gateway offers, by its name. */
export interface AgentDefinition {
  graphId: string;
  description: string | null;
  /** The place of its definition, for people: `./src/agent.ts:graph`, or `built in`. */
  from: string;
  /** The export that it is loaded from; null for a built-in agent. */
  place: ExportPlace | null;
  /** Loads the function that makes the graph; called once, on the first use. Throws an AgentFault. */
  load: () => Promise<GraphFactory>;
}

/** The graph that an `assistant_id` stands for, with its own settings. */
export interface ResolvedAgent {
  assistantId: string;
  graphId: string;
  config: { configurable?: Record<string, unknown>; tags?: string[]; recursion_limit?: number };
  context: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/** The part of an assistant that its runs begin with. */
export type GraphSettings = Pick<ResolvedAgent, 'config' | 'context'>;

export interface GraphWiring {
  /** The user whose items the graph sees as its `store`. */
  userId: string;
  checkpointer?: BaseCheckpointSaver;
  config?: GraphConfig;
  /** A run without a context when it is left out. */
  runtime?: GraphRuntime;
}

const runWithoutContext: GraphRuntime = {
  accessContext: 'threads.create_run',
  executionRuntime: { context: undefined },
};

export interface AgentDescription extends GraphSettings {
  graphId: string;
  assistantId: string;
  description: string | null;
  from: string;
  fault: AgentFault | null;
}

export interface AgentsOptions {
  definitions: readonly AgentDefinition[];
  /** Finds a user's own assistant by its id. */
  storedAssistant: (owner: Owner, assistantId: string) => Promise<ResolvedAgent | undefined>;
  /** Returns the name of the user's custom agent, or null when there is none with this name. */
  customAgent?: (owner: Owner, named: string) => Promise<string | null>;
  storeItems: StoreItems;
  modules: Pick<AgentModules, 'renew' | 'renewIfChanged'>;
  /** The settings with which the assistants of graphs begin, by the name of the graph. */
  settings?: ReadonlyMap<string, GraphSettings>;
  log: Pick<Log, 'warn'>;
}

/** The agents that can be run. Each is loaded on its first use. An agent that cannot be loaded leaves the others working. */
export class Agents {
  readonly #options: AgentsOptions;
  readonly #definitions: ReadonlyMap<string, AgentDefinition>;
  readonly #names: ReadonlyMap<string, string>;
  readonly #factories = new Map<string, Promise<GraphFactory>>();
  /** Agents that a caller has asked for, including those that could not be loaded. */
  readonly #wanted = new Set<string>();
  /** Agents that could not be loaded when they were used last. */
  readonly #failed = new Set<string>();
  #openStores: Promise<(userId: string) => BaseStore> | undefined;

  constructor(options: AgentsOptions) {
    this.#options = options;
    this.#definitions = new Map(options.definitions.map((each) => [each.graphId, each]));
    this.#names = new Map(options.definitions.map(({ graphId }) => [assistantIdOf(graphId), graphId]));
  }

  /** Returns the names of the graphs. */
  ids(): string[] {
    return [...this.#definitions.keys()];
  }

  /** Returns true for a graph from a user's own file. */
  isFromFile(graphId: string): boolean {
    return this.placeOf(graphId) !== null;
  }

  /** Returns the file and the export that a graph comes from; null for a built-in agent. */
  placeOf(graphId: string): ExportPlace | null {
    return this.#definitions.get(graphId)?.place ?? null;
  }

  /** Finds a graph by its name or by the id of its own assistant, which follows from the name. */
  graphOf(named: string): string | undefined {
    return this.#definitions.has(named) ? named : this.#names.get(named);
  }

  /**
   * Tries an exact graph name first, then the id of an assistant (a graph's own one or one that the caller made), then the name
   * of one of the caller's custom agents. Throws 404 when nothing matches.
   */
  async resolve(owner: Owner, named: string): Promise<ResolvedAgent> {
    const graphId = this.graphOf(named);
    if (graphId !== undefined) {
      const metadata = { created_by: 'system' };
      return { assistantId: assistantIdOf(graphId), graphId, ...this.#settingsOf(graphId), metadata };
    }
    const stored = await this.#options.storedAssistant(owner, named);
    if (stored) return stored;
    const name = (await this.#options.customAgent?.(owner, named)) ?? null;
    if (name === null)
      throw new AppError('assistant_not_found', { message: `Assistant ${named} not found`, named });
    return {
      assistantId: name,
      graphId: leadAgentName,
      config: { configurable: { agent_name: name } },
      context: {},
      metadata: { created_by: 'user' },
    };
  }

  /** Returns the graph, ready to run for one user. Throws an AgentFault when its file cannot be loaded. */
  async graph(
    graphId: string,
    { userId, checkpointer, config = {}, runtime = runWithoutContext }: GraphWiring,
  ): Promise<AgentGraph> {
    const make = await this.#factory(graphId);
    const store = (await this.#stores())(userId);
    const given = { ...config, store, ...(checkpointer && { checkpointer }) };
    return bind(await make(given, { userId, runtime }), checkpointer, store);
  }

  /** Describes every agent, each with what is wrong with it; loads those that have not been used. */
  async describeAll(): Promise<AgentDescription[]> {
    return Promise.all(this.ids().map((graphId) => this.describe(graphId)));
  }

  /** Describes the agents that come from users' files, each with what is wrong with it; loads them. */
  async describeOwn(): Promise<AgentDescription[]> {
    const own = [...this.#definitions.values()].filter(({ place }) => place !== null);
    return Promise.all(own.map(({ graphId }) => this.describe(graphId)));
  }

  async describe(graphId: string): Promise<AgentDescription> {
    const { description, from } = this.#definition(graphId);
    const fault = await this.#faultOf(graphId);
    const settings = this.#settingsOf(graphId);
    return { graphId, assistantId: assistantIdOf(graphId), description, from, fault, ...settings };
  }

  /**
   * Reads the files of all agents that were used again, and returns what is wrong with them now. Runs that are under way keep the
   * graph that they began with.
   */
  async reload(): Promise<AgentFault[]> {
    const loaded = [...this.#wanted];
    this.#options.modules.renew();
    this.#factories.clear();
    const faults = await Promise.all(loaded.map((graphId) => this.#faultOf(graphId)));
    return faults.filter((fault) => fault !== null);
  }

  #settingsOf(graphId: string): GraphSettings {
    return this.#options.settings?.get(graphId) ?? { config: {}, context: {} };
  }

  #definition(graphId: string): AgentDefinition {
    const definition = this.#definitions.get(graphId);
    if (!definition) throw new AppError('assistant_not_found', { message: `Graph "${graphId}" not found` });
    return definition;
  }

  async #faultOf(graphId: string): Promise<AgentFault | null> {
    try {
      await this.#factory(graphId);
      return null;
    } catch (error) {
      return AgentFault.from(error);
    }
  }

  /** Imported late, because it loads LangChain. */
  #stores(): Promise<(userId: string) => BaseStore> {
    this.#openStores ??= loadLangchain(() => import('../store/graph-store.ts')).then(({ graphStores }) =>
      graphStores(this.#options.storeItems),
    );
    return this.#openStores;
  }

  async #factory(graphId: string): Promise<GraphFactory> {
    const present = this.#factories.get(graphId);
    if (present) return present;
    const definition = this.#definition(graphId);
    if (this.#failed.delete(graphId)) this.#options.modules.renewIfChanged();
    const loading = definition.load();
    this.#wanted.add(graphId);
    this.#factories.set(graphId, loading);
    loading.catch((error: unknown) => {
      // A failed load is not kept, so the next use finds a corrected file.
      if (this.#factories.get(graphId) === loading) this.#factories.delete(graphId);
      this.#failed.add(graphId);
      this.#options.log.warn({ graphId, fault: AgentFault.from(error).message }, 'An agent cannot be loaded');
    });
    return loading;
  }
}

/** Returns a separate graph for each use, because runs at the same time have different checkpointers and stores. */
function bind(
  graph: AgentGraph,
  checkpointer: BaseCheckpointSaver | undefined,
  store: BaseStore,
): AgentGraph {
  const bound = graph.withConfig({}) as AgentGraph;
  if (checkpointer) bound.checkpointer = checkpointer;
  bound.store = store;
  return bound;
}
