import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { isoTime, nullable, oneOf, wholeNumber } from '../shapes.ts';
import { threadParams } from './ids.ts';

const tags = ['Goals'];

export const goalBlockers = [
  'none',
  'missing_evidence',
  'needs_user_input',
  'run_failed',
  'external_wait',
  'goal_not_met_yet',
] as const;

export const goalEvaluation = Type.Object({
  satisfied: Type.Boolean(),
  blocker: oneOf(goalBlockers),
  reason: Type.String(),
  evidence_summary: Type.Optional(Type.String()),
  stand_down_reason: Type.Optional(
    Type.String({
      description:
        'Why the agent did not go on by itself: needs_user_input, external_wait, run_failed, stopped_early, another_run_waits, no_progress, max_continuations, evaluation_failed or no_model.',
    }),
  ),
});
export type GoalEvaluation = Static<typeof goalEvaluation>;

export const goalState = Type.Object({
  objective: Type.String(),
  status: oneOf(['active']),
  created_at: isoTime,
  updated_at: isoTime,
  continuation_count: Type.Integer({ description: 'How often the agent has gone on by itself.' }),
  max_continuations: Type.Integer(),
  no_progress_count: Type.Integer({ description: 'Continuations in a row that came no nearer to the goal.' }),
  max_no_progress_continuations: Type.Integer(),
  last_evaluation: nullable(goalEvaluation),
});
export type GoalState = Static<typeof goalState>;

export const goalAnswer = Type.Object({ goal: nullable(goalState) });

export const goalBody = Type.Object(
  {
    objective: Type.String({ maxLength: 4_000, pattern: '\\S', description: 'White space is collapsed.' }),
    max_continuations: Type.Optional(
      wholeNumber({ minimum: 0, maximum: 8, description: 'Default 8. 0 only evaluates.' }),
    ),
  },
  { additionalProperties: false },
);
export type GoalBody = Static<typeof goalBody>;

export const getGoal = {
  method: 'GET',
  url: '/api/threads/:thread_id/goal',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'The goal of a thread',
    tags,
    params: threadParams,
    response: { 200: goalAnswer },
  },
} as const satisfies Endpoint;

export const putGoal = {
  method: 'PUT',
  url: '/api/threads/:thread_id/goal',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Give a thread a goal',
    description:
      'After each run of the lead agent a model judges whether the goal is reached, and the agent goes on by itself until it is, or stands down with a reason. An earlier goal is replaced. A thread that does not exist is made. 409 while a run is in flight.',
    tags,
    params: threadParams,
    body: goalBody,
    response: { 200: goalAnswer },
  },
} as const satisfies Endpoint;

export const deleteGoal = {
  method: 'DELETE',
  url: '/api/threads/:thread_id/goal',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Clear the goal of a thread',
    description: 'Answers the same when there is none. 409 while a run is in flight.',
    tags,
    params: threadParams,
    response: { 200: goalAnswer },
  },
} as const satisfies Endpoint;
