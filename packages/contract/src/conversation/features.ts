import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable } from '../shapes.ts';

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

const nothingHere = Type.Object({}, { additionalProperties: true });

export const listChannelProviders = {
  method: 'GET',
  url: '/api/channels/providers',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Messaging services that a user can connect an account of',
    description: 'None: an administrator configures the channels, and says who writes as which account.',
    tags: ['Service'],
    response: { 200: Type.Object({ enabled: Type.Boolean(), providers: Type.Array(nothingHere) }) },
  },
} as const satisfies Endpoint;

export const listChannelConnections = {
  method: 'GET',
  url: '/api/channels/connections',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Messaging accounts that the caller has connected',
    description: 'Always empty, because no service can be connected.',
    tags: ['Service'],
    response: { 200: Type.Object({ connections: Type.Array(nothingHere) }) },
  },
} as const satisfies Endpoint;

const text = Type.String();
const textOrNull = nullable(text);

export const readLarkStatus = {
  method: 'GET',
  url: '/api/integrations/lark/status',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Whether the integration of Lark is installed',
    description: 'It is not: there is no such integration. Pages that have a card for it show that.',
    tags: ['Service'],
    response: {
      200: Type.Object({
        installed: Type.Boolean(),
        version: text,
        manifest_version: textOrNull,
        latest_available_version: textOrNull,
        runtime_version_mismatch: Type.Boolean(),
        app_configured: Type.Boolean(),
        app_id: textOrNull,
        app_brand: textOrNull,
        skills_expected: Type.Integer(),
        skills_installed: Type.Integer(),
        installed_skills: Type.Array(text),
        enabled_skills: Type.Array(text),
        install_path: text,
        cli: Type.Object({
          available: Type.Boolean(),
          path: textOrNull,
          version: textOrNull,
          error: textOrNull,
        }),
        auth: Type.Object({
          status: text,
          message: textOrNull,
          user: textOrNull,
          verified: Type.Boolean(),
        }),
        sandbox_runtime_mode: text,
        sandbox_runtime_ready: Type.Boolean(),
        sandbox_runtime_detail: textOrNull,
      }),
    },
  },
} as const satisfies Endpoint;
