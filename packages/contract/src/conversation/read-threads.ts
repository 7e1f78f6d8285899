import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { isoTime, nullable, wholeNumber } from '../shapes.ts';
import { threadId, threadParams } from './ids.ts';

const tags = ['Threads'];

const readMark = Type.Object({
  thread_id: threadId,
  unread: Type.Boolean(),
  run_ended_at: nullable(Type.String({ description: 'When its last run ended.' })),
});
export type ReadMark = Static<typeof readMark>;

export const markThreadRead = {
  method: 'POST',
  url: '/api/threads/:thread_id/read',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Mark a thread as read',
    description:
      'With `run_ended_at`, the end that the caller has seen: a thread in which a run has ended since stays unread.',
    tags,
    params: threadParams,
    body: Type.Object(
      {
        run_ended_at: Type.Optional(
          Type.String({ format: 'date-time', maxLength: 40, description: 'As the thread has it.' }),
        ),
      },
      { additionalProperties: false },
    ),
    response: { 200: readMark },
  },
} as const satisfies Endpoint;

export const markThreadUnread = {
  method: 'POST',
  url: '/api/threads/:thread_id/unread',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Mark a thread as unread',
    tags,
    params: threadParams,
    response: { 200: readMark },
  },
} as const satisfies Endpoint;

export const unreadThread = Type.Object({
  thread_id: threadId,
  title: nullable(Type.String()),
  run_ended_at: nullable(isoTime),
});
export type UnreadThread = Static<typeof unreadThread>;

export const listUnreadThreads = {
  method: 'GET',
  url: '/api/console/unread-threads',
  config: { access: 'conversation:read' },
  schema: {
    summary: "The caller's unread threads, the last ended first",
    description: '`next_cursor` asks for the next page; null on the last one.',
    tags: ['Console'],
    querystring: Type.Object(
      {
        limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 100, default: 50 })),
        cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      },
      { additionalProperties: false },
    ),
    response: {
      200: Type.Object({
        total: Type.Integer({ minimum: 0, description: 'Exact up to 1,000; `1000` means that or more.' }),
        threads: Type.Array(unreadThread),
        next_cursor: nullable(Type.String()),
      }),
    },
  },
} as const satisfies Endpoint;
