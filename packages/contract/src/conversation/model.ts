import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable } from '../shapes.ts';

const tags = ['Models'];

/** A model that agents can use. Never its keys or addresses. */
export const model = Type.Object({
  name: Type.String({ description: 'As runs name it.' }),
  model: Type.String({ description: 'As its provider names it.' }),
  display_name: nullable(Type.String()),
  description: nullable(Type.String()),
  supports_thinking: Type.Boolean(),
  supports_reasoning_effort: Type.Boolean(),
  supports_vision: Type.Boolean(),
  input_price_per_million: nullable(Type.Number({ description: 'Of a million tokens.' })),
  output_price_per_million: nullable(Type.Number()),
  price_currency: nullable(Type.String()),
  simulated: Type.Boolean({ description: 'Scripted, not an AI: it stands in while no model is configured.' }),
});
export type Model = Static<typeof model>;

export const listModels = {
  method: 'GET',
  url: '/api/models',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'The models that agents can use; the first is the default',
    tags,
    response: {
      200: Type.Object({
        models: Type.Array(model),
        token_usage: Type.Object({ enabled: Type.Boolean({ description: 'Whether tokens are counted.' }) }),
      }),
    },
  },
} as const satisfies Endpoint;

export const getModel = {
  method: 'GET',
  url: '/api/models/:name',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'One model',
    tags,
    params: Type.Object({ name: Type.String({ minLength: 1, maxLength: 256 }) }),
    response: { 200: model },
  },
} as const satisfies Endpoint;
