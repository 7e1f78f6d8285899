import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { isoTime, nullable, oneOf, wholeNumber } from '../shapes.ts';

const time = Type.String({ maxLength: 40, format: 'date-time', description: 'ISO 8601.' });

export const auditRecord = Type.Object({
  id: Type.String(),
  at: isoTime,
  actor: Type.String({ description: 'The id of the account, or `system`.' }),
  actorName: Type.String({
    description: 'The e-mail address of the account at that time, or the part of the gateway that acted.',
  }),
  via: oneOf(['cookie', 'bearer', 'access_token', 'custom_auth', 'own_code', 'password', 'system'], {
    description:
      'What the actor signed in with; `password` for an account that its user made, `custom_auth` for the auth of langgraph.json, `own_code` for a graph or a route of the operator that works for the actor.',
  }),
  action: Type.String({ description: 'For example `user.created`.' }),
  target: nullable(Type.String({ description: 'The kind and the id of what was changed: `user:…`.' })),
  details: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Facts about the change, without secrets.',
  }),
  requestId: nullable(Type.String({ description: 'The id of the request, which the log names as well.' })),
});
export type AuditRecord = Static<typeof auditRecord>;

export const auditList = Type.Object({
  items: Type.Array(auditRecord),
  nextCursor: nullable(
    Type.String({ description: 'The `cursor` of the next, older page. Null on the last one.' }),
  ),
});

export const listAudit = {
  method: 'GET',
  url: '/api/audit',
  config: { access: 'admin' },
  schema: {
    summary: 'Who changed what, the newest first',
    description:
      'Changes of settings, instances, accounts, roles, passwords, access tokens, webhooks, MCP servers, skills and the queue, and what administrators did to the tasks of other users. Records are never changed; they are deleted after `audit.retention`, a year by default.',
    tags: ['Audit'],
    querystring: Type.Object(
      {
        actor: Type.Optional(
          Type.String({ minLength: 1, maxLength: 64, description: 'The id of an account, or `system`.' }),
        ),
        action: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        target: Type.Optional(
          Type.String({ minLength: 1, maxLength: 400, description: 'The kind and the id: `user:…`.' }),
        ),
        from: Type.Optional(time),
        to: Type.Optional(time),
        limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 200, default: 50 })),
        cursor: Type.Optional(
          Type.String({ pattern: '^[0-9a-f-]{36}$', description: '`nextCursor` of the page before.' }),
        ),
      },
      { additionalProperties: false },
    ),
    response: { 200: envelope(auditList) },
  },
} as const satisfies Endpoint;
