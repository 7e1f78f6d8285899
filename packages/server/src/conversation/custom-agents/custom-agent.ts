import { type Agent, agentFields } from '@switchyard/contract/conversation/agent';
import type { AgentChange } from '@switchyard/contract/conversation/agents';
import { isRecord } from '@switchyard/contract/is-record';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { parse, stringify } from 'yaml';
import { AppError } from '../../lib/app-error.ts';

/** The user and the agent's name in lower case. */
export interface CustomAgentKey {
  userId: string;
  name: string;
}

/** The content of its `config.yaml`; its soul has a separate file. */
export interface AgentSettings extends Omit<Agent, 'soul'> {}

export interface CustomAgent extends AgentSettings {
  soul: string;
}

export interface StoredAgent extends CustomAgent {
  /** The time at which its settings were written. */
  changedMs: number;
}

const settingsSchema = Type.Partial(Type.Omit(Type.Object(agentFields), ['soul']));
const keptName = /^[a-z0-9-]{1,64}$/;

export function isKeptName(name: string): boolean {
  return keptName.test(name);
}

/** The name in the form in which clients may run an agent: `Image_Maker` is `image-maker`. Null for an invalid name. */
export function agentNameIn(written: string): string | null {
  const name = written.trim().toLowerCase().replaceAll('_', '-');
  return isKeptName(name) ? name : null;
}

export function newCustomAgent(name: string): CustomAgent {
  return { name, description: '', model: null, tool_groups: null, skills: null, soul: '' };
}

export function changed(agent: CustomAgent, change: AgentChange): CustomAgent {
  const { description, model, tool_groups, skills, soul } = { ...agent, ...change };
  return { name: agent.name, description, model, tool_groups, skills, soul };
}

/** Keeps unknown keys of the file, but not its comments. */
export function settingsText(settings: AgentSettings, before: string | null): string {
  return stringify({ ...recordIn(before), ...settings });
}

/** Throws `agent_corrupted` for a file that does not contain settings. */
export function settingsIn(name: string, text: string): AgentSettings {
  const record = recordIn(text);
  if (!record || !Value.Check(settingsSchema, record)) throw new AppError('agent_corrupted');
  const { description = '', model = null, tool_groups = null, skills = null } = record;
  return { name, description, model, tool_groups, skills };
}

/** Returns null when it is not a record; a change then starts with an empty one. */
function recordIn(text: string | null): Record<string, unknown> | null {
  if (text === null) return null;
  try {
    // The gateway writes no references, so a file full of them is refused.
    const value: unknown = parse(text, { maxAliasCount: 0, logLevel: 'error', stringKeys: true });
    return isRecord(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
