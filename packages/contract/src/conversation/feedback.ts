import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { isoTime, nullable } from '../shapes.ts';
import { runId, runParams, threadId } from './ids.ts';

const tags = ['Feedback'];

/** Each user gives at most one per run. */
export const feedback = Type.Object({
  feedback_id: Type.String(),
  thread_id: Type.String(),
  run_id: Type.String(),
  user_id: nullable(Type.String()),
  message_id: nullable(Type.String()),
  rating: Type.Integer({ description: '`1` or `-1`.' }),
  comment: nullable(Type.String()),
  created_at: isoTime,
});
export type Feedback = Static<typeof feedback>;

export const newFeedback = Type.Object({
  rating: Type.Integer({ description: '`1` or `-1`; anything else is refused with 400.' }),
  comment: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
  message_id: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
});
export type NewFeedback = Static<typeof newFeedback>;

const base = '/api/threads/:thread_id/runs/:run_id/feedback';
const done = Type.Object({ success: Type.Boolean() });

export const putFeedback = {
  method: 'PUT',
  url: base,
  config: { access: 'conversation:write' },
  schema: {
    summary: "Set the caller's feedback on a run",
    description: 'Replaces what was there: there is one for each run and user.',
    tags,
    params: runParams,
    body: newFeedback,
    response: { 200: feedback },
  },
} as const satisfies Endpoint;

export const postFeedback = { ...putFeedback, method: 'POST' } as const satisfies Endpoint;

export const listFeedback = {
  method: 'GET',
  url: base,
  config: { access: 'conversation:read' },
  schema: {
    summary: "The caller's feedback on a run",
    tags,
    params: runParams,
    response: { 200: Type.Array(feedback) },
  },
} as const satisfies Endpoint;

export const feedbackStats = {
  method: 'GET',
  url: `${base}/stats`,
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Counts and sum of the ratings of a run',
    tags,
    params: runParams,
    response: {
      200: Type.Object({
        run_id: Type.String(),
        total: Type.Integer(),
        positive: Type.Integer(),
        negative: Type.Integer(),
        rating_sum: Type.Integer(),
      }),
    },
  },
} as const satisfies Endpoint;

export const deleteOwnFeedback = {
  method: 'DELETE',
  url: base,
  config: { access: 'conversation:write' },
  schema: {
    summary: "Delete the caller's feedback on a run",
    tags,
    params: runParams,
    response: { 200: done },
  },
} as const satisfies Endpoint;

export const deleteFeedback = {
  method: 'DELETE',
  url: `${base}/:feedback_id`,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Delete a feedback by its id',
    tags,
    params: Type.Object({
      thread_id: threadId,
      run_id: runId,
      feedback_id: Type.String({ minLength: 1, maxLength: 64 }),
    }),
    response: { 200: done },
  },
} as const satisfies Endpoint;

export const listRunFeedback = {
  method: 'GET',
  url: '/api/runs/:run_id/feedback',
  config: { access: 'conversation:read' },
  schema: {
    summary: "The caller's feedback on a run, found by the run alone",
    tags,
    params: Type.Object({ run_id: runId }),
    response: { 200: Type.Array(feedback) },
  },
} as const satisfies Endpoint;
