import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { sentenceList } from '../sentences/sentence.ts';
import { closed, isoTime, nullable, oneOf, pageQuery } from '../shapes.ts';

const tags = ['Webhooks'];
const webhookParams = Type.Object({ webhookId: Type.String({ minLength: 1, maxLength: 64 }) });

export const webhookEvents = ['task.completed', 'task.failed'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

export const webhook = Type.Object({
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(oneOf(webhookEvents)),
  enabled: Type.Boolean({
    description: 'Switched off by itself after many failures in a row, or by a 410 answer.',
  }),
  failures: Type.Integer({ description: 'Failed deliveries in a row.' }),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Webhook = Static<typeof webhook>;

const secret = Type.String({ description: 'Signs each call (Standard Webhooks). Shown this once.' });
const url = Type.String({ minLength: 1, maxLength: 2048, description: 'An http or https address.' });
const events = Type.Array(oneOf(webhookEvents), { minItems: 1, maxItems: 10, uniqueItems: true });

export const newWebhook = Type.Object({ url, events: Type.Optional(events) }, closed);
export type NewWebhook = Static<typeof newWebhook>;

export const webhookChange = Type.Object(
  { url: Type.Optional(url), events: Type.Optional(events), enabled: Type.Optional(Type.Boolean()) },
  closed,
);
export type WebhookChange = Static<typeof webhookChange>;

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;

export const delivery = Type.Object({
  id: Type.String({
    description: 'The `webhook-id` of every try; a receiver that saw it already ignores it.',
  }),
  event: oneOf(webhookEvents),
  taskId: Type.String(),
  status: oneOf(deliveryStates),
  attempts: Type.Integer(),
  responseStatus: nullable(Type.Integer()),
  lastError: nullable(Type.String()),
  lastErrorSentences: sentenceList,
  createdAt: isoTime,
  deliveredAt: nullable(isoTime),
});
export type Delivery = Static<typeof delivery>;

/** The body of a call. */
export const webhookPayload = Type.Object({
  type: oneOf(webhookEvents),
  timestamp: isoTime,
  data: Type.Object({ taskId: Type.String(), status: Type.String() }, { additionalProperties: true }),
});
export type WebhookPayload = Static<typeof webhookPayload>;

/** The body of a test call. */
export const webhookTestPayload = Type.Object({
  type: Type.Literal('webhook.test'),
  timestamp: isoTime,
  data: Type.Object({ webhookId: Type.String() }),
});
export type WebhookTestPayload = Static<typeof webhookTestPayload>;

export const webhookTest = Type.Object({
  id: Type.String({ description: 'The `webhook-id` of the call.' }),
  delivered: Type.Boolean({ description: 'The receiver answered with 2xx.' }),
  responseStatus: nullable(Type.Integer({ description: 'Null when there was no answer.' })),
  error: nullable(Type.String({ description: 'What went wrong; null when it was delivered.' })),
  errorSentences: sentenceList,
  latencyMs: Type.Integer(),
});
export type WebhookTest = Static<typeof webhookTest>;

export const createWebhook = {
  method: 'POST',
  url: '/api/webhooks',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Add a webhook for your tasks',
    tags,
    body: newWebhook,
    response: { 200: envelope(Type.Object({ ...webhook.properties, secret })) },
  },
} as const satisfies Endpoint;

export const listWebhooks = {
  method: 'GET',
  url: '/api/webhooks',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'Your webhooks',
    tags,
    querystring: Type.Object({}, closed),
    response: { 200: envelope(Type.Array(webhook)) },
  },
} as const satisfies Endpoint;

export const getWebhook = {
  method: 'GET',
  url: '/api/webhooks/:webhookId',
  config: { access: 'dispatch:read' },
  schema: { summary: 'One webhook', tags, params: webhookParams, response: { 200: envelope(webhook) } },
} as const satisfies Endpoint;

export const updateWebhook = {
  method: 'PUT',
  url: '/api/webhooks/:webhookId',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Change a webhook',
    tags,
    params: webhookParams,
    body: webhookChange,
    response: { 200: envelope(webhook) },
  },
} as const satisfies Endpoint;

export const deleteWebhook = {
  method: 'DELETE',
  url: '/api/webhooks/:webhookId',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Delete a webhook',
    tags,
    params: webhookParams,
    response: { 200: envelope(Type.Object({ id: Type.String() })) },
  },
} as const satisfies Endpoint;

export const listDeliveries = {
  method: 'GET',
  url: '/api/webhooks/:webhookId/deliveries',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'What was sent to a webhook, the newest first',
    tags,
    params: webhookParams,
    querystring: Type.Object(pageQuery, closed),
    response: { 200: envelope(Type.Object({ total: Type.Integer(), items: Type.Array(delivery) })) },
  },
} as const satisfies Endpoint;

export const redeliver = {
  method: 'POST',
  url: '/api/webhooks/:webhookId/deliveries/:deliveryId/retry',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Send a delivery again',
    tags,
    params: Type.Object({
      ...webhookParams.properties,
      deliveryId: Type.String({ minLength: 1, maxLength: 64 }),
    }),
    response: { 200: envelope(delivery) },
  },
} as const satisfies Endpoint;

export const testWebhook = {
  method: 'POST',
  url: '/api/webhooks/:webhookId/test',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Send a signed call of type `webhook.test` now, and answer how the receiver took it',
    description:
      'It works for a webhook that is switched off. It is tried once, and no delivery or failure is counted.',
    tags,
    params: webhookParams,
    response: { 200: envelope(webhookTest) },
  },
} as const satisfies Endpoint;
