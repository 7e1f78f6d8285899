import { type Static, Type } from 'typebox';
import { nullable } from '../shapes.ts';

export const agentName = Type.String({
  pattern: '^[A-Za-z0-9-]{1,64}$',
  description: 'At most 64 letters, digits and `-`; kept in lower case.',
});

/** The tools of an agent, by group: each group stands for several tools. */
export const toolGroups = [
  'file:read',
  'file:write',
  'web',
  'bash',
  'workflows',
  'subagents',
  'mcp',
] as const;
const toolGroup = Type.String({
  pattern: `^(${toolGroups.join('|')}|mcp:[A-Za-z0-9_-]{1,48})$`,
  description: `One of ${toolGroups.join(', ')}, or \`mcp:\` with the name of one MCP server.`,
});

export const agentFields = {
  description: Type.String({ maxLength: 2_000 }),
  model: nullable(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'For runs that name none; null for the default of the gateway.',
    }),
  ),
  tool_groups: nullable(
    Type.Array(toolGroup, {
      maxItems: 50,
      description: 'Its tools beside those that every agent has; null for all.',
    }),
  ),
  skills: nullable(
    Type.Array(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }), {
      maxItems: 200,
      description: 'Names of the skills that it is told of; null for all that are enabled.',
    }),
  ),
  soul: Type.String({
    maxLength: 32_768,
    description: 'Who it is and how it works, in Markdown: a part of its prompt.',
  }),
};

/** An agent that a user has made: the lead agent with a character, a model and tools of its own. */
export const agent = Type.Object({
  name: Type.String(),
  ...agentFields,
  soul: nullable(Type.String({ description: 'Null in lists.' })),
});
export type Agent = Static<typeof agent>;
