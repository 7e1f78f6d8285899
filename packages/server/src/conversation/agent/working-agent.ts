import { AppError } from '../../lib/app-error.ts';
import { agentNameOf } from './agent-name.ts';
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
}

interface ConfigOfRun {
  configurable?: Record<string, unknown> | undefined;
}

/** The custom agents that runs work as, read once for each run: it ends as the agent that it began as. */
export class WorkingAgents {
  readonly #find: FindWorkingAgent;
  /** A run's handle lives as long as its attempt. */
  readonly #ofRun = new WeakMap<RunHandle, Promise<WorkingAgent>>();

  constructor(find: FindWorkingAgent) {
    this.#find = find;
  }

  /** Null for the lead agent itself. Throws `agent_not_found` where the agent has gone before the run began. */
  async of(config: ConfigOfRun): Promise<WorkingAgent | null> {
    const name = agentNameOf(config);
    const handle = runHandleOf(config);
    if (name === null || !handle) return null;
    const reading = this.#ofRun.get(handle) ?? this.#read(handle.userId, name);
    this.#ofRun.set(handle, reading);
    return reading;
  }

  async #read(userId: string, name: string): Promise<WorkingAgent> {
    const agent = await this.#find(userId, name);
    if (agent) return agent;
    throw new AppError('agent_not_found', {
      message: `The agent '${name}' was deleted before its run began`,
    });
  }
}
