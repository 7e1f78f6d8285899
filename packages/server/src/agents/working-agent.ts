import { AppError } from '../lib/app-error.ts';
import { agentNameOf } from './agent-name.ts';
import { isSetUp } from './agent-setup-wish.ts';
import { type RunHandle, runHandleOf } from './run-handle.ts';

/** What makes the lead agent another one: a user's custom agent, as its runs need it. */
export interface WorkingAgent {
  name: string;
  description: string;
  soul: string;
  /** Null for all. */
  tool_groups: readonly string[] | null;
  /** Null for all. */
  skills: readonly string[] | null;
}

/** A user's custom agent by its name; null where there is none. */
export type FindWorkingAgent = (userId: string, name: string) => Promise<WorkingAgent | null>;

/** What users have made of their agents, as the lead agent needs it. */
export interface UserAgents {
  working: WorkingAgents;
  /** What a user tells every agent of themselves. */
  profileOf: (userId: string) => Promise<string | null>;
  /** Makes an agent, or writes the one that is there; absent where agents are not managed from outside. */
  setUp?: (
    agent: { userId: string; name: string },
    wish: { description: string; soul: string },
  ) => Promise<void>;
}

interface ConfigOfRun {
  context?: unknown;
  configurable?: Record<string, unknown> | undefined;
}

/** The custom agents that runs work as, read once for each run: it ends as the agent that it began as. */
export class WorkingAgents {
  readonly #find: FindWorkingAgent;
  /** By what the handles of a run and of its sub-agents share, and which lives as long as the attempt. */
  readonly #ofRun = new WeakMap<RunHandle['beforeActing'], Promise<WorkingAgent | null>>();

  constructor(find: FindWorkingAgent) {
    this.#find = find;
  }

  /** Null for the lead agent itself, which also sets up an agent that is not there yet. Throws `agent_not_found` where the agent has gone before the run began. */
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
