import { join } from 'node:path';
import type { ModelConfig } from '../config/models.ts';
import type { Fetch } from '../lib/bounded-fetch.ts';
import type { Clock } from '../lib/clock.ts';
import { once } from '../lib/once.ts';
import { hourMs } from '../lib/time-units.ts';
import type { Database } from '../platform/database/database.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { openCheckpointer } from './checkpoints/checkpointer.ts';
import { ThreadCheckpoints } from './checkpoints/thread-checkpoint-store.ts';
import { loadLangchain } from './langchain.ts';
import { builtInAgents, type Equipment } from './lead/built-in-agents.ts';
import { type Compact, compactor } from './lead/compaction.ts';
import type { TurnSettings } from './lead/turn-settings.ts';
import { agentDefinitions } from './loading/agent-definitions.ts';
import { AgentFault } from './loading/agent-fault.ts';
import { AgentWatcher } from './loading/agent-watcher.ts';
import { Agents, type AgentsOptions, type GraphSettings } from './loading/agents.ts';
import { readLanggraphConfig } from './loading/langgraph-config.ts';
import { type LanggraphJson, langgraphFile } from './loading/langgraph-json.ts';
import { AgentModules } from './loading/load-agent-modules.ts';
import type { ExportPlace } from './loading/load-export.ts';
import { type OwnAuth, ownAuth } from './loading/own-auth.ts';
import type { OwnExport } from './loading/own-export.ts';
import { type OwnWebApp, ownWebApp } from './loading/own-web-app.ts';
import { offerSdkLogger } from './loading/sdk-logger.ts';
import type { UsableLanggraphJson } from './loading/usable-langgraph-json.ts';
import { type EmbeddingSources, embedderOf, embeddingModel } from './models/embedding-model.ts';
import { OwnCode, type SendForCaller } from './own-code/own-code.ts';
import type { AgentRunner } from './run-contract/agent-run.ts';
import { GraphRunner } from './running/graph-runner.ts';
import { type AskInRun, runAsker } from './running/run-asker.ts';
import { KeptSchemas } from './source-schemas/kept-schemas.ts';
import { type Lacking, SourceSchemas } from './source-schemas/source-schemas.ts';
import { GraphShapes } from './state/graph-shapes.ts';
import { GraphStates, type SettingsOfRun } from './state/graph-state.ts';
import type { StoreIndex } from './store/embedder.ts';
import { StoreItemStore } from './store/store-item-store.ts';
import { StoreItems } from './store/store-items.ts';
import { StoreMeanings } from './store/store-meanings.ts';
import { StoreVectorStore } from './store/store-vector-store.ts';
import type { AgentTables } from './store/tables.ts';

export interface AgentsConfiguration {
  /** Entries of the form `name=./file.ts:export`. */
  configured: readonly string[];
  /** Relative paths begin here. */
  cwd: string;
  langgraph: UsableLanggraphJson;
  /** The data home of this process. */
  home: string;
  /** The version of the gateway. */
  version: string;
  /** The variable LANGGRAPH_CONFIG; undefined when it is not set. */
  graphConfig: () => string | undefined;
  /** The variables of OpenAI. */
  openAi: () => EmbeddingSources['openAi'];
  /** True when agents are loaded again when their files change. */
  watch: boolean;
  models: readonly ModelConfig[];
  /** Calls the providers of models. */
  fetch: Fetch;
  turn: TurnSettings;
}

/** An agent from a user's own file. */
export interface OwnAgent {
  /** The name of the graph, or the name of the file when that names no graphs. */
  name: string;
  /** The reason for which it cannot be used; null when it can. */
  fault: string | null;
}

/** The agent runtime: graphs, their states and their store. */
export interface AgentRuntime {
  agents: Agents;
  states: GraphStates;
  runner: AgentRunner;
  shapes: GraphShapes;
  storeItems: StoreItems;
  checkpoints: ThreadCheckpoints;
  /** Null when the lead agent summarises nothing: that is switched off, or there is only the demo model. */
  compact: Compact | null;
  /** Null while there is only the demo model. */
  askInRun: AskInRun | null;
  /** The app of langgraph.json with routes of its own; null when there is none. */
  webApp: OwnWebApp | null;
  /** The authentication of langgraph.json; null when there is none. */
  auth: OwnAuth | null;
  /** Knows for which user own code works. */
  ownCode: OwnCode;
  /** Loads the operator's own code besides graphs, and returns what is wrong with it. */
  otherFaults(): Promise<{ name: string; fault: string }[]>;
  /** Returns the agents of `langgraph.json` and of the configuration, each with what is wrong with it; loads them. */
  ownAgents(): Promise<OwnAgent[]>;
  close(): void;
}

/** Puts together everything that runs graphs. LangChain is loaded with the first agent that is used. */
export function createAgents(dependencies: {
  database: Database<unknown>;
  jobs: Pick<Jobs, 'register'>;
  equipment: Equipment;
  storedAssistant: AgentsOptions['storedAssistant'];
  customAgent: NonNullable<AgentsOptions['customAgent']>;
  settingsOfRun: SettingsOfRun;
  /** Sends what own code asks this gateway. */
  sendForCaller: SendForCaller;
  clock: Clock;
  log: Logger;
  options: AgentsConfiguration;
}): AgentRuntime {
  const { database, jobs, equipment, settingsOfRun, clock, log, options } = dependencies;
  const watcher = new AgentWatcher(log);
  const modules = new AgentModules({ ...(options.watch && { onLoad: (file) => watcher.see(file) }) });
  const models = { configured: options.models, cwd: options.cwd, fetch: options.fetch };
  const { langgraph: file } = options;
  const faultsOfFile = file.fault ? [file.fault] : [];
  offerSdkLogger(log);
  const onFault = (fault: AgentFault): void => void faultsOfFile.push(fault);
  const tables = database.withTables<AgentTables>();
  // Read here, because langgraph.json may set the variables.
  const embedding = { models: options.models, openAi: options.openAi() };
  const index = storeIndex(file.storeIndex, { ...embedding, fetch: options.fetch, log, onFault });
  const storeItems = new StoreItems({
    store: new StoreItemStore(tables),
    meanings: index && new StoreMeanings(index, new StoreVectorStore(tables)),
    clock,
  });
  jobs.register('store.sweep', () => storeItems.sweep(), { everyMs: hourMs });
  const definitions = agentDefinitions({
    builtIn: builtInAgents({ ...equipment, models, turn: options.turn, log }),
    ...options,
    listed: file.graphs,
    modules,
    log,
  });
  const { cwd } = options;
  const webApp = file.httpApp === null ? null : ownWebApp({ target: file.httpApp, cwd, modules });
  const auth = file.auth === null ? null : ownAuth({ target: file.auth, cwd, modules });
  const agents = new Agents({
    definitions,
    // Read after the definitions, because langgraph.json may set the variable.
    settings: graphSettings(options.graphConfig(), { log, onFault }),
    storedAssistant: dependencies.storedAssistant,
    customAgent: dependencies.customAgent,
    storeItems,
    modules,
    log,
  });
  const kept = new KeptSchemas({ folder: join(options.home, 'source-schemas'), version: options.version });
  const sources = new SourceSchemas({ kept, log });
  const sourceOf = async (place: ExportPlace | null, lacking: Lacking) =>
    place ? sources.of(place, lacking) : null;
  watcher.onChange(() => {
    sources.forget();
    webApp?.forget();
    auth?.forget();
    return agents.reload();
  });

  const ownCode = new OwnCode(dependencies.sendForCaller);
  const checkpointer = once(() => loadLangchain(() => openCheckpointer(database)));
  const states = new GraphStates({ agents, checkpointer, settingsOfRun });
  const settings = options.turn.summarization;
  const otherFaults = async () => [
    ...(await faultOf('auth', auth)),
    ...(await faultOf('http.app', webApp)),
    ...faultsOfFile.map(({ file, message }) => ({ name: file ?? langgraphFile, fault: message })),
  ];
  const canCompact = settings.enabled && options.models.length > 0;
  return {
    agents,
    states,
    askInRun: options.models.length > 0 ? runAsker(models) : null,
    compact: canCompact ? compactor({ states, models, settings }) : null,
    runner: new GraphRunner({ agents, checkpointer, ownCode }),
    shapes: new GraphShapes({ fromSource: (graphId, lacking) => sourceOf(agents.placeOf(graphId), lacking) }),
    storeItems,
    checkpoints: new ThreadCheckpoints(database),
    webApp,
    auth,
    ownCode,
    otherFaults,
    ownAgents: async () => [
      ...(await otherFaults()),
      ...(await agents.describeOwn()).map(({ graphId, fault }) => ({
        name: graphId,
        fault: fault?.message ?? null,
      })),
    ],
    close: () => {
      watcher.close();
      sources.close();
    },
  };
}

/** An export without a fault needs no line among the agents. */
async function faultOf(
  name: string,
  own: Pick<OwnExport<unknown>, 'fault'> | null,
): Promise<{ name: string; fault: string }[]> {
  const fault = await own?.fault();
  return fault ? [{ name, fault: fault.message }] : [];
}

/** An index whose model is not configured is reported, and the store works without it. */
function storeIndex(
  asked: LanggraphJson['storeIndex'],
  { log, onFault, fetch, ...sources }: Reporting & EmbeddingSources & { fetch: Fetch },
): StoreIndex | null {
  if (asked === null) return null;
  const model = embeddingModel(asked.embed, { ...sources, dims: asked.dims });
  if (model) return { embedder: embedderOf(model, fetch), fields: asked.fields };
  const fault = new AgentFault(
    `names the model ${asked.embed} in store.index.embed, which \`models\` of the configuration does not have; one that begins with openai: needs OPENAI_API_KEY in env instead`,
    { file: langgraphFile },
  );
  log.warn({ fault: fault.message }, 'The store has no index of meanings');
  onFault(fault);
  return null;
}

/** The ways to report a fault in the user's settings. */
interface Reporting {
  log: Pick<Logger, 'warn'>;
  onFault: (fault: AgentFault) => void;
}

/** A variable that cannot be read is reported, and the graphs run with their own settings. */
function graphSettings(
  text: string | undefined,
  { log, onFault }: Reporting,
): ReadonlyMap<string, GraphSettings> {
  try {
    return readLanggraphConfig(text);
  } catch (error) {
    const fault = AgentFault.from(error);
    log.warn({ fault: fault.message }, 'The settings of the graphs cannot be used');
    onFault(fault);
    return new Map();
  }
}
