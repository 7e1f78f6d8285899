import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';

const feature = Type.Object({ enabled: Type.Boolean() });

export const getFeatures = {
  method: 'GET',
  url: '/api/features',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Which parts of the API a client can offer',
    description: 'Browsers and long tasks of MCP servers are not offered.',
    tags: ['Service'],
    response: {
      200: Type.Object({ agents_api: feature, browser_control: feature, mcp_tasks: feature }),
    },
  },
} as const satisfies Endpoint;
