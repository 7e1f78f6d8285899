import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';

const tags = ['Service'];

export const getInfo = {
  method: 'GET',
  url: '/api/info',
  config: { access: 'public' },
  schema: {
    summary: 'What this server is, as LangGraph clients ask',
    tags,
    response: {
      200: Type.Object({
        version: Type.String(),
        langgraph_js_version: Type.String(),
        context: Type.Literal('js'),
        flags: Type.Object({
          assistants: Type.Boolean(),
          crons: Type.Boolean(),
          langsmith: Type.Boolean(),
          langsmith_tracing_replicas: Type.Boolean(),
        }),
      }),
    },
  },
} as const satisfies Endpoint;

export const getOk = {
  method: 'GET',
  url: '/api/ok',
  config: { access: 'public' },
  schema: {
    summary: 'The server answers, as LangGraph clients ask',
    tags,
    response: { 200: Type.Object({ ok: Type.Literal(true) }) },
  },
} as const satisfies Endpoint;
