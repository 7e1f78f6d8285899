import type { AgentChange, NewAgent } from '@switchyard/contract/conversation/agents';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ChangeLock } from '../../platform/ownership/change-lock.ts';
import { userScope } from '../user-scope.ts';
import {
  agentNameIn,
  type CustomAgent,
  type CustomAgentKey,
  changed,
  newCustomAgent,
  type StoredAgent,
} from './custom-agent.ts';
import type { CustomAgentFiles } from './custom-agent-files.ts';

interface GraphNames {
  ids(): readonly string[];
}

/** One user may have this many agents; a hundred would already be many. */
const maxPerUser = 100;
/** Limits the name that an error repeats, because runs may name anything. */
const maxEchoLength = 100;
/** A name that the API uses itself: `GET /api/agents/check`. */
const reserved: ReadonlySet<string> = new Set(['check']);

/** The agents that users have made. Each user sees only their own. */
export class CustomAgents {
  readonly #options;
  #graphs: GraphNames = { ids: () => [] };

  constructor(options: {
    files: CustomAgentFiles;
    changes: ChangeLock;
    /** The models that the lead agent can use. */
    modelNames: readonly string[];
    /** Removes an agent while nothing is written to its memory. */
    withMemory: (owner: Owner, name: string, remove: () => Promise<void>) => Promise<void>;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  /** Refuses the names of graphs, because such a name always means the graph. */
  keepFree(graphs: GraphNames): void {
    this.#graphs = graphs;
  }

  /** By name. Leaves out an agent whose file is broken; asked for by its name, that agent reports the fault. */
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

  /** Returns null when the user has no agent of this name, or it is not a valid name. */
  async find(owner: Owner, written: string): Promise<StoredAgent | null> {
    const name = agentNameIn(written);
    return name === null ? null : this.#options.files.read({ userId: userOf(owner), name });
  }

  /** For a run, which may also be there to set up an agent that does not exist yet. */
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

  /** Makes an agent or changes the existing one, so repeating the call has the same result. */
  async setUp(
    { userId, name }: CustomAgentKey,
    requested: Pick<CustomAgent, 'description' | 'soul'>,
  ): Promise<void> {
    const owner = { user: userId };
    if (await this.has({ userId, name })) await this.change(owner, name, requested);
    else await this.create(owner, { name, ...requested });
  }

  /** The name of the user's agent; null when there is none. */
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

  async create(owner: Owner, { name: written, ...requested }: NewAgent): Promise<CustomAgent> {
    const { files } = this.#options;
    const name = written.toLowerCase();
    this.#requireModel(requested);
    if (this.#isReserved(name)) {
      throw new AppError('agent_exists', { message: say('agent_name_taken', { name }) });
    }
    return this.#inTurn({ userId: userOf(owner), name }, async (key) => {
      if (await files.exists(key))
        throw new AppError('agent_exists', { message: say('agent_present', { name }) });
      await this.#requireRoom(key.userId);
      const agent = changed(newCustomAgent(name), requested);
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

  /** Works for an agent whose file is broken too. */
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
    if (count >= maxPerUser) throw new AppError('agent_limit');
  }

  #requireModel({ model }: AgentChange): void {
    const { modelNames } = this.#options;
    if (model === undefined || model === null || modelNames.includes(model)) return;
    const message = say('model_unknown', { model, names: modelNames.join(', ') });
    throw new AppError('validation_failed', {
      faults: [{ in: 'body', path: ['model'], type: 'value_error', message, input: model }],
    });
  }

  #isReserved(name: string): boolean {
    return reserved.has(name) || this.#graphs.ids().some((graphId) => agentNameIn(graphId) === name);
  }

  /** By user: creations are counted one after the other. An agent has two files, which are changed together. */
  #inTurn<Result>(key: CustomAgentKey, work: (key: CustomAgentKey) => Promise<Result>): Promise<Result> {
    return this.#options.changes.run(`agents:${key.userId}`, () => work(key));
  }
}

function userOf(owner: Owner): string {
  const user = userScope(owner);
  if (user === null) throw new Error('An agent belongs to one user: pass { user }.');
  return user;
}

function notFound(name: string): AppError {
  return new AppError('agent_not_found', { message: `Agent '${name.slice(0, maxEchoLength)}' not found` });
}
