import type { AgentChange, NewAgent } from '@switchyard/contract/conversation/agents';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import { userScope } from '../user-scope.ts';
import { KeyLock } from '../workspace/key-lock.ts';
import {
  agentNameIn,
  type CustomAgent,
  type CustomAgentKey,
  changed,
  newCustomAgent,
  type StoredAgent,
} from './custom-agent.ts';
import type { CustomAgentFiles } from './custom-agent-files.ts';

interface CustomAgentsOptions {
  files: CustomAgentFiles;
  /** Of the models that the lead agent can use. */
  modelNames: readonly string[];
  /** Lets an agent be removed while nothing is written to its memory. */
  withMemory: (owner: Owner, name: string, remove: () => Promise<void>) => Promise<void>;
  log: { warn(details: object, message: string): void };
}

interface GraphNames {
  ids(): readonly string[];
}

/** A user's own; a hundred would be many. */
const mostPerUser = 100;
/** Runs may name anything. */
const longestEcho = 100;
/** `GET /api/agents/check` is another question. */
const reserved: ReadonlySet<string> = new Set(['check']);

/** The agents that users have made, each user's for themselves. */
export class CustomAgents {
  readonly #options: CustomAgentsOptions;
  /** By user: what is counted is counted in turn. */
  readonly #lock = new KeyLock();
  #graphs: GraphNames = { ids: () => [] };

  constructor(options: CustomAgentsOptions) {
    this.#options = options;
  }

  /** Keeps the names of graphs free: wherever an agent is run they mean the graph. */
  keepFree(graphs: GraphNames): void {
    this.#graphs = graphs;
  }

  /** By name. One whose file is broken is left out; asked for by its name, it says so. */
  async list(owner: Owner): Promise<StoredAgent[]> {
    const { files, log } = this.#options;
    const userId = userOf(owner);
    const agents: StoredAgent[] = [];
    for (const name of await files.names(userId)) {
      try {
        const agent = await files.read({ userId, name });
        if (agent) agents.push(agent);
      } catch (error) {
        log.warn({ err: error, userId, agent: name }, 'An agent is left out of a list: it cannot be read');
      }
    }
    return agents;
  }

  async get(owner: Owner, written: string): Promise<StoredAgent> {
    const agent = await this.find(owner, written);
    if (!agent) throw notFound(written);
    return agent;
  }

  /** Null where the user has none of this name, also for what is no name. */
  async find(owner: Owner, written: string): Promise<StoredAgent | null> {
    const name = agentNameIn(written);
    return name === null ? null : this.#options.files.read({ userId: userOf(owner), name });
  }

  /** For a run, which may also be there to set up an agent that is not there yet. */
  async forRun(
    owner: Owner,
    written: string,
    { mayBeNew }: { mayBeNew: boolean },
  ): Promise<Pick<CustomAgent, 'name' | 'model'>> {
    const agent = await this.find(owner, written);
    if (agent) return agent;
    const name = agentNameIn(written);
    if (!mayBeNew || name === null || this.#isReserved(name)) throw notFound(written);
    return { name, model: null };
  }

  /** Makes an agent, or changes the one that is there: asked for twice, it is the same. */
  async setUp(
    { userId, name }: CustomAgentKey,
    wish: Pick<CustomAgent, 'description' | 'soul'>,
  ): Promise<void> {
    const owner = { user: userId };
    if (await this.has({ userId, name })) await this.change(owner, name, wish);
    else await this.create(owner, { name, ...wish });
  }

  /** The name of the user's agent that is meant; null where there is none. */
  async nameOf(owner: Owner, written: string): Promise<string | null> {
    const name = agentNameIn(written);
    const isThere = name !== null && (await this.#options.files.exists({ userId: userOf(owner), name }));
    return isThere ? name : null;
  }

  async has(key: CustomAgentKey): Promise<boolean> {
    return this.#options.files.exists(key);
  }

  async isFree(owner: Owner, name: string): Promise<boolean> {
    return !this.#isReserved(name) && !(await this.#options.files.exists({ userId: userOf(owner), name }));
  }

  async create(owner: Owner, { name: written, ...wish }: NewAgent): Promise<CustomAgent> {
    const { files } = this.#options;
    const name = written.toLowerCase();
    this.#requireModel(wish);
    if (this.#isReserved(name)) {
      throw new AppError('agent_exists', {
        message: `'${name}' means something else here. Choose another name.`,
      });
    }
    return this.#inTurn({ userId: userOf(owner), name }, async (key) => {
      if (await files.exists(key))
        throw new AppError('agent_exists', { message: `Agent '${name}' already exists` });
      await this.#requireRoom(key.userId);
      const agent = changed(newCustomAgent(name), wish);
      await files.write(key, agent);
      return agent;
    });
  }

  async change(owner: Owner, written: string, change: AgentChange): Promise<CustomAgent> {
    const { files } = this.#options;
    this.#requireModel(change);
    return this.#inTurn({ userId: userOf(owner), name: written.toLowerCase() }, async (key) => {
      const agent = await files.read(key);
      if (!agent) throw notFound(key.name);
      const next = changed(agent, change);
      await files.write(key, next);
      return next;
    });
  }

  /** Also one whose file is broken. */
  async delete(owner: Owner, written: string): Promise<void> {
    const { files } = this.#options;
    await this.#inTurn({ userId: userOf(owner), name: written.toLowerCase() }, async (key) => {
      if (!(await files.exists(key))) throw notFound(key.name);
      await this.#options.withMemory(owner, key.name, () => files.remove(key));
    });
  }

  async #requireRoom(userId: string): Promise<void> {
    const { files } = this.#options;
    let count = 0;
    for (const name of await files.names(userId)) {
      if (await files.exists({ userId, name })) count += 1;
    }
    if (count >= mostPerUser) throw new AppError('agent_limit');
  }

  #requireModel({ model }: AgentChange): void {
    const { modelNames } = this.#options;
    if (model === undefined || model === null || modelNames.includes(model)) return;
    const message = `Value error, model '${model}' is not configured; these are: ${modelNames.join(', ')}`;
    throw new AppError('validation_failed', {
      faults: [{ in: 'body', path: ['model'], type: 'value_error', message, input: model }],
    });
  }

  #isReserved(name: string): boolean {
    return reserved.has(name) || this.#graphs.ids().some((graphId) => agentNameIn(graphId) === name);
  }

  #inTurn<Result>(key: CustomAgentKey, work: (key: CustomAgentKey) => Promise<Result>): Promise<Result> {
    return this.#lock.run(key.userId, () => work(key));
  }
}

function userOf(owner: Owner): string {
  const user = userScope(owner);
  if (user === null) throw new Error('An agent belongs to one user: pass { user }.');
  return user;
}

function notFound(name: string): AppError {
  return new AppError('agent_not_found', { message: `Agent '${name.slice(0, longestEcho)}' not found` });
}
