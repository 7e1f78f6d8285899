import { isRecord } from '@switchyard/contract/is-record';
import { AgentFault } from './agent-fault.ts';
import type { GraphSettings } from './agents.ts';

const langgraphConfigName = 'LANGGRAPH_CONFIG';

/**
 * Reads what the variable gives to the assistants of graphs: `{"<graph>": {"configurable": {…}, "tags": […], "recursion_limit": 50,
 * "context": {…}}}`. Throws an AgentFault that names the place.
 */
export function readLanggraphConfig(text: string | undefined): Map<string, GraphSettings> {
  if (!text) return new Map();
  const root = parsed(text);
  if (!isRecord(root)) throw fault('must be an object with a key for each graph');
  return new Map(Object.entries(root).map(([graphId, given]) => [graphId, settingsOf(graphId, given)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fault(`is not valid JSON: ${(error as Error).message}`);
  }
}

function settingsOf(graphId: string, given: unknown): GraphSettings {
  if (!isRecord(given)) throw fault(`${graphId} must be an object`);
  const { configurable, tags, recursion_limit: limit, context, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw fault(
      `${graphId}.${unknown} is unknown; known are configurable, tags, recursion_limit and context`,
    );
  return {
    config: {
      ...(configurable !== undefined && { configurable: record(configurable, `${graphId}.configurable`) }),
      ...(tags !== undefined && { tags: texts(tags, `${graphId}.tags`) }),
      ...(limit !== undefined && { recursion_limit: wholeNumber(limit, `${graphId}.recursion_limit`) }),
    },
    context: context === undefined ? {} : record(context, `${graphId}.context`),
  };
}

function record(value: unknown, name: string): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw fault(`${name} must be an object`);
}

function texts(value: unknown, name: string): string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw fault(`${name} must be a list of texts`);
}

function wholeNumber(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw fault(`${name} must be a whole number above 0`);
}

function fault(message: string): AgentFault {
  return new AgentFault(message, { file: langgraphConfigName });
}
