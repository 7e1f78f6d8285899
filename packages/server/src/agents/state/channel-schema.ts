import type { AgentGraph } from '../loading/agents.ts';

type Schema = Record<string, unknown>;
/** The reducers of LangGraph for messages, in whatever copy of it a graph was made with. */
const messageReducers = ['messagesStateReducer', 'messagesDeltaReducer'];

/**
 * Describes a graph whose state is channels alone, such as those of `Annotation.Root`. Their types exist for the compiler only, so
 * each channel has its name, and what its reducer and its first value say of it.
 */
export function schemaOfChannels(
  channels: string | string[] | undefined,
  graph: Pick<AgentGraph, 'channels' | 'streamChannelsList'>,
): Schema {
  const own = graph.streamChannelsList.map(String);
  const names = (Array.isArray(channels) ? channels : own).filter((name) => !name.startsWith('__'));
  const known = names.length > 0 ? names : own;
  const schemaOf = (name: string) => schemaOfChannel((graph.channels as Schema)[name]);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: Object.fromEntries(known.map((name) => [name, schemaOf(name)])),
  };
}

function schemaOfChannel(channel: unknown): Schema {
  if (typeof channel !== 'object' || channel === null) return {};
  const { operator, reducer = operator, initialValueFactory: make } = channel as Schema;
  // The mark that LangGraph gives its own schemas of messages; Studio draws an editor of messages for it.
  if (isMessageReducer(reducer)) return { type: 'array', langgraph_type: 'messages' };
  return typeof make === 'function' ? schemaOfFirstValue(make as () => unknown) : {};
}

function isMessageReducer(reducer: unknown): boolean {
  return typeof reducer === 'function' && messageReducers.includes(reducer.name);
}

/** When the user's code throws or returns nothing, the channel stays unknown. */
function schemaOfFirstValue(make: () => unknown): Schema {
  try {
    const value = make();
    return value === null || value === undefined ? {} : { type: typeNameOf(value) };
  } catch {
    return {};
  }
}

function typeNameOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}
