import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { closed, isoTime, nullable, oneOf, pageQuery } from '../shapes.ts';

const tags = ['Shares'];

export const shareKinds = ['workflow', 'collection', 'file'] as const;
export type ShareKind = (typeof shareKinds)[number];

export const granteeKinds = ['person', 'everyone'] as const;
export type GranteeKind = (typeof granteeKinds)[number];

/** The later right includes the earlier one. */
export const shareRights = ['read', 'run'] as const;
export type ShareRight = (typeof shareRights)[number];

export const toolStates = ['off', 'on', 'changed'] as const;
export type ToolState = (typeof toolStates)[number];

const kind = oneOf(shareKinds);
const subjectId = Type.String({ minLength: 1, maxLength: 64 });
const may = oneOf(shareRights, {
  description: '`run` is for workflows, and includes `read`.',
});

const share = Type.Object({
  id: Type.String(),
  kind,
  subjectId: Type.String(),
  name: Type.String({ description: 'The name of the thing now.' }),
  owner: Type.String({ description: 'The id of the account that shares it.' }),
  to: Type.Object({
    kind: oneOf(granteeKinds),
    email: nullable(Type.String({ description: 'The address that was named. Null for everyone.' })),
  }),
  may,
  createdAt: isoTime,
});
export type Share = Static<typeof share>;

const newShare = Type.Object(
  {
    kind,
    subjectId,
    to: Type.Object(
      {
        kind: oneOf(granteeKinds, {
          description: '`everyone`: every account of the gateway, later ones as well.',
        }),
        email: Type.Optional(
          Type.String({ minLength: 1, maxLength: 254, description: 'The address of a person.' }),
        ),
      },
      closed,
    ),
    may: Type.Optional(may),
  },
  closed,
);
export type NewShare = Static<typeof newShare>;

const receivedShare = Type.Object({
  kind,
  subjectId: Type.String(),
  name: Type.String(),
  description: Type.String({ description: 'That of a workflow; empty for other kinds.' }),
  from: Type.String({ description: 'The e-mail address of its owner.' }),
  may,
  sharedAt: isoTime,
  items: nullable(Type.Integer({ description: 'The number of files of a collection.' })),
  tool: nullable(
    oneOf(toolStates, {
      description:
        'For workflows that you may run: `on` when your agents have it as a tool, `changed` when its owner has changed it since you switched it on, so that they do not have it any more.',
    }),
  ),
  file: Type.Unsafe<{
    url: string;
    contentType: string;
    size: number;
    width: number | null;
    height: number | null;
  } | null>({
    ...Type.Object({
      url: Type.String({ description: 'It needs your credentials: nothing is signed for receivers.' }),
      contentType: Type.String(),
      size: Type.Integer(),
      width: nullable(Type.Integer()),
      height: nullable(Type.Integer()),
    }),
    type: ['object', 'null'],
  }),
});
export type ReceivedShare = Static<typeof receivedShare>;

const kindFilter = Type.Optional(oneOf(shareKinds, { description: 'Only this kind.' }));

export const giveShare = {
  method: 'POST',
  url: '/api/shares',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Share a thing with a person or with everyone',
    description:
      'Opens exactly this thing. The answer is the same whether or not an account has the address; an account that is made later does not get what was shared before. Sharing again with the same grantee changes what they may do.',
    tags,
    body: newShare,
    response: { 200: envelope(share) },
  },
} as const satisfies Endpoint;

export const listShares = {
  method: 'GET',
  url: '/api/shares',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'What you share, and with whom',
    tags,
    querystring: Type.Object(
      {
        ...pageQuery,
        kind: kindFilter,
        subjectId: Type.Optional({ ...subjectId, description: 'Only this thing.' }),
        owner: Type.Optional(
          Type.String({ minLength: 1, maxLength: 64, description: 'For administrators.' }),
        ),
      },
      closed,
    ),
    response: { 200: envelope(Type.Object({ total: Type.Integer(), items: Type.Array(share) })) },
  },
} as const satisfies Endpoint;

export const listReceivedShares = {
  method: 'GET',
  url: '/api/shares/received',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'What others share with you, the newest first',
    tags,
    querystring: Type.Object({ ...pageQuery, kind: kindFilter }, closed),
    response: { 200: envelope(Type.Object({ total: Type.Integer(), items: Type.Array(receivedShare) })) },
  },
} as const satisfies Endpoint;

export const takeBackShare = {
  method: 'DELETE',
  url: '/api/shares/:shareId',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Take a share back',
    description:
      'From then on the thing does not exist for the receiver; tasks that have begun go on. Administrators may take back every share.',
    tags,
    params: Type.Object({ shareId: Type.String({ minLength: 1, maxLength: 64 }) }),
    response: { 200: envelope(Type.Object({ id: Type.String() })) },
  },
} as const satisfies Endpoint;
