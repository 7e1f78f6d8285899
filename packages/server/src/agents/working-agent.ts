import { AppError } from '../lib/app-error.ts';
import { type RunHandle, runHandleOf } from './run-contract/run-handle.ts';

/** Key in a run's `configurable`. Only the server sets it: keys that begin with `__` are removed from what clients send. */
export const agentNameKey = '__switchyard_agent';

/** The settings that turn the lead agent into a user's custom agent for a run. */
export interface WorkingAgent {
  name: string;
  description: string;
  soul: string;
  /** Null for all. */
  tool_groups: readonly string[] | null;
  /** Null for all. */
  skills: readonly string[] | null;
}

/** Returns a user's custom agent by its name, or null when there is none. */
type FindWorkingAgent = (userId: string, name: string) => Promise<WorkingAgent | null>;

/** The agents that users made, as far as the lead agent needs to know them. */
export interface UserAgents {
  working: WorkingAgents;
  /** Returns the text that a user has written about themselves for every agent. */
  profileOf: (userId: string) => Promise<string | null>;
  /** Creates an agent or changes an existing one. Absent when the management of agents is switched off. */
  setUp?: (
    agent: { userId: string; name: string },
    settings: { description: string; soul: string },
  ) => Promise<void>;
}

interface ConfigOfRun {
  context?: unknown;
  configurable?: Record<string, unknown> | undefined;
}

/** The custom agents that runs work as. Each run reads its agent once, so it ends as the agent that it started as. */
export class WorkingAgents {
  readonly #find: FindWorkingAgent;
  /** Keyed by the part of the handle that a run shares with its sub-agents and that lives as long as the attempt. */
  readonly #ofRun = new WeakMap<RunHandle['beforeActing'], Promise<WorkingAgent | null>>();

  constructor(find: FindWorkingAgent) {
    this.#find = find;
  }

  /**
   * Returns null for the lead agent itself, which also sets up an agent that does not exist yet. Throws `agent_not_found` when
   * the agent was removed before the run started.
   */
  async of(config: ConfigOfRun): Promise<WorkingAgent | null> {
    const name = agentNameOf(config);
    const handle = runHandleOf(config);
    if (name === null || !handle) return null;
    const reading = this.#ofRun.get(handle.beforeActing) ?? this.#read(handle.userId, { name, config });
    this.#ofRun.set(handle.beforeActing, reading);
    return reading;
  }

  async #read(
    userId: string,
    { name, config }: { name: string; config: ConfigOfRun },
  ): Promise<WorkingAgent | null> {
    const agent = await this.#find(userId, name);
    if (agent || isSetUp(config)) return agent;
    throw new AppError('agent_not_found', {
      message: `The agent '${name}' was deleted before its run began`,
    });
  }
}

/** Returns whether the purpose of a run is to set up the agent that it names. `context` takes precedence over `configurable`. */
export function isSetUp({
  context,
  configurable,
}: {
  context?: unknown;
  configurable?: Record<string, unknown> | undefined;
}): boolean {
  const said = { ...configurable, ...(context as object | undefined) };
  return 'is_bootstrap' in said && said.is_bootstrap === true;
}

/** Returns the custom agent that a run works as, or null for the lead agent itself. */
export function agentNameOf(config: Pick<ConfigOfRun, 'configurable'>): string | null {
  const name = config.configurable?.[agentNameKey];
  return typeof name === 'string' ? name : null;
}
