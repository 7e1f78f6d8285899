import { entriesOf, number, type Reader, readerOf, type Section, section, text, texts } from './entries.ts';

/** One entry of `subagents.agents`, as the file writes it. */
export interface SubagentConfig {
  /** The name that the lead agent uses: `subagent_type`. */
  name: string;
  /** What the sub-agent is good for. The lead agent chooses by it. */
  description: string;
  system_prompt: string;
  /** The lead agent's tools that the sub-agent may use; null for all. */
  tools: readonly string[] | null;
  /** Null means the model of the run. */
  model: string | null;
  max_turns: number | null;
  timeout_seconds: number | null;
}

export const subagentLimits = {
  turns: { minimum: 1, maximum: 500 },
  seconds: { minimum: 1, maximum: 86_400 },
} as const;

const maxSubagents = 20;

/** A list of kinds, or a map from their names. Throws a RangeError that says which entry and key. */
export function readSubagents(data: unknown): SubagentConfig[] {
  const entries = entriesOf(data, 'sub-agents');
  if (entries.length > maxSubagents) {
    throw new RangeError(`has ${entries.length} entries; ${maxSubagents} are the limit`);
  }
  const subagents = entries.map(([place, entry]) => readSubagent(place, section(place, entry, readers)));
  const names = subagents.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new RangeError(`has two sub-agents of the name "${twice}"`);
  return subagents;
}

const toolName = /^[A-Za-z0-9_-]{1,64}$/;

const readers: { [Key in keyof SubagentConfig]: Reader<SubagentConfig[Key]> } = {
  // Events call the sub-agent `subagent:<name>`.
  name: text(/^[a-z][a-z0-9-]{0,47}$/, 'must be a name of small letters, digits and -'),
  description: text(/\S/, 'must be text'),
  system_prompt: text(/\S/, 'must be text'),
  tools: texts(toolName, 'must be a list of names of tools, written ["run_workflow"]'),
  model: text(/\S/, 'must be the name of one of models'),
  max_turns: number({ ...subagentLimits.turns, isWhole: true }),
  timeout_seconds: number({ ...subagentLimits.seconds, isWhole: true }),
};

function readSubagent(place: string, entry: Section): SubagentConfig {
  const read = readerOf<SubagentConfig>(readers, { place, entry });
  const required = (key: 'name' | 'description' | 'system_prompt'): string => {
    const value = read(key);
    if (value === null) throw new RangeError(`${place}.${key} is missing; ${whatFor[key]}`);
    return value;
  };
  return {
    name: required('name'),
    description: required('description'),
    system_prompt: required('system_prompt'),
    tools: read('tools'),
    model: read('model'),
    max_turns: read('max_turns'),
    timeout_seconds: read('timeout_seconds'),
  };
}

const whatFor = {
  name: 'the lead agent asks for it by it',
  description: 'the lead agent chooses by it',
  system_prompt: 'the sub-agent is told by it who it is',
};
