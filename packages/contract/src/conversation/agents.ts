import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { agent, agentFields, agentName } from './agent.ts';

const tags = ['Agents'];
const url = '/api/agents';
const params = Type.Object({ name: agentName });
/** A soul whose every character is escaped still fits. */
const settings = { access: 'conversation:write', bodyLimit: 262_144 } as const;

export const agentChange = Type.Partial(Type.Object(agentFields), {
  description: 'What is left out stays as it is.',
});
export type AgentChange = Static<typeof agentChange>;
export const newAgent = Type.Object({ name: agentName, ...agentChange.properties });
export type NewAgent = Static<typeof newAgent>;

export const listAgents = {
  method: 'GET',
  url,
  config: { access: 'conversation:read' },
  schema: {
    summary: "The caller's agents, by name",
    tags,
    response: { 200: Type.Object({ agents: Type.Array(agent) }) },
  },
} as const satisfies Endpoint;

export const checkAgentName = {
  method: 'GET',
  url: `${url}/check`,
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Whether the caller may call an agent so',
    tags,
    querystring: Type.Object({ name: agentName }),
    response: { 200: Type.Object({ available: Type.Boolean(), name: Type.String() }) },
  },
} as const satisfies Endpoint;

export const getAgent = {
  method: 'GET',
  url: `${url}/:name`,
  config: { access: 'conversation:read' },
  schema: { summary: 'An agent with its soul', tags, params, response: { 200: agent } },
} as const satisfies Endpoint;

export const createAgent = {
  method: 'POST',
  url,
  config: settings,
  schema: { summary: 'Make an agent', tags, body: newAgent, response: { 201: agent } },
} as const satisfies Endpoint;

export const changeAgent = {
  method: 'PUT',
  url: `${url}/:name`,
  config: settings,
  schema: {
    summary: 'Change an agent',
    description: 'Runs that begin afterwards work with it; one that is at work goes on as it began.',
    tags,
    params,
    body: agentChange,
    response: { 200: agent },
  },
} as const satisfies Endpoint;

export const deleteAgent = {
  method: 'DELETE',
  url: `${url}/:name`,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Delete an agent with what it remembers',
    description: 'Its threads stay.',
    tags,
    params,
    response: { 204: Type.Null() },
  },
} as const satisfies Endpoint;
