import type { JsonSchema } from './json-schema.ts';

/** A message on the wire is the same for every graph, so its schema is written here and not read from LangChain's classes. */
const content = {
  anyOf: [{ type: 'string' }, { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'object' }] } }],
};

function message(
  type: JsonSchema,
  more: Record<string, JsonSchema> = {},
  required: string[] = [],
): JsonSchema {
  return {
    type: 'object',
    properties: {
      type,
      content,
      id: { type: 'string' },
      name: { type: 'string' },
      additional_kwargs: { type: 'object' },
      response_metadata: { type: 'object' },
      ...more,
    },
    required: ['type', 'content', ...required],
  };
}

const named = (type: string): JsonSchema => ({ type: 'string', const: type });
const calls = { tool_calls: { type: 'array', items: { type: 'object' } } };

const kinds: Record<string, JsonSchema> = {
  BaseMessageChunk: message({ type: 'string' }),
  ToolMessage: message(named('tool'), { tool_call_id: { type: 'string' } }, ['tool_call_id']),
  AIMessage: message(named('ai'), calls),
  ChatMessage: message(named('generic'), { role: { type: 'string' } }, ['role']),
  FunctionMessage: message(named('function'), {}, ['name']),
  HumanMessage: message(named('human')),
  SystemMessage: message(named('system')),
  RemoveMessage: message(named('remove'), {}, ['id']),
};

/** The definitions of a schema in which `BaseMessage` occurs. LangGraph's development server has them under the same names. */
export const messageDefinitions: Record<string, JsonSchema> = {
  BaseMessage: {
    description: 'Base class for all types of messages in a conversation.',
    oneOf: Object.keys(kinds).map((name) => ({ $ref: `#/definitions/${name}` })),
  },
  ...kinds,
};
