import { type Static, Type } from 'typebox';
import { number, readEntries, required, text, texts } from './entries.ts';

export const subagentLimits = {
  turns: { minimum: 1, maximum: 500 },
  seconds: { minimum: 1, maximum: 86_400 },
} as const;

const toolName = /^[A-Za-z0-9_-]{1,64}$/;

/** The keys of an entry of `subagents.agents`. */
const subagentSchema = Type.Object({
  /** The name that the lead agent uses: `subagent_type`. Events call the sub-agent `subagent:<name>`. */
  name: required(
    text(/^[a-z][a-z0-9-]{0,47}$/, 'must be a name of small letters, digits and -'),
    'the lead agent asks for it by it',
  ),
  /** The purpose of the sub-agent. */
  description: required(text(/\S/, 'must be text'), 'the lead agent chooses by it'),
  system_prompt: required(text(/\S/, 'must be text'), 'the sub-agent is told by it who it is'),
  /** The lead agent's tools that the sub-agent may use; null for all. */
  tools: texts(toolName, 'must be a list of names of tools, written ["run_workflow"]'),
  /** Null means the model of the run. */
  model: text(/\S/, 'must be the name of one of models'),
  max_turns: number({ ...subagentLimits.turns, isWhole: true }),
  timeout_seconds: number({ ...subagentLimits.seconds, isWhole: true }),
});

/** One entry of `subagents.agents`. */
export type SubagentConfig = Static<typeof subagentSchema>;

/** A list of kinds, or a map from their names. Throws a RangeError that says which entry and key. */
export function readSubagents(data: unknown): SubagentConfig[] {
  return readEntries(data, { what: 'sub-agents', maxEntries: 20, schema: subagentSchema });
}
