import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { pageQuery } from '../shapes.ts';
import { threadParams } from './ids.ts';
import {
  maxSchedulesPerUser,
  newScheduledTask,
  scheduledTask,
  scheduledTaskChange,
  scheduledTaskRun,
} from './scheduled-task.ts';

const tags = ['Scheduled tasks'];
const url = '/api/scheduled-tasks';
const params = Type.Object({ task_id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }) });
const reads = { access: 'conversation:read' } as const;
const writes = { access: 'conversation:write', bodyLimit: 524_288 } as const;

export const listScheduledTasks = {
  method: 'GET',
  url,
  config: reads,
  schema: {
    summary: "The caller's scheduled tasks, the newest first",
    description: `All of them: a user has at most ${maxSchedulesPerUser}. Crons of LangGraph clients are among them.`,
    tags,
    response: { 200: Type.Array(scheduledTask) },
  },
} as const satisfies Endpoint;

export const listScheduledTasksOfThread = {
  method: 'GET',
  url: '/api/threads/:thread_id/scheduled-tasks',
  config: reads,
  schema: {
    summary: 'The scheduled tasks that run in a thread, the newest first',
    tags,
    params: threadParams,
    response: { 200: Type.Array(scheduledTask) },
  },
} as const satisfies Endpoint;

export const createScheduledTask = {
  method: 'POST',
  url,
  config: writes,
  schema: {
    summary: 'Send a prompt to an agent at a time, or again and again',
    tags,
    body: newScheduledTask,
    response: { 200: scheduledTask },
  },
} as const satisfies Endpoint;

export const getScheduledTask = {
  method: 'GET',
  url: `${url}/:task_id`,
  config: reads,
  schema: { summary: 'One scheduled task', tags, params, response: { 200: scheduledTask } },
} as const satisfies Endpoint;

export const patchScheduledTask = {
  method: 'PATCH',
  url: `${url}/:task_id`,
  config: writes,
  schema: {
    summary: 'Change a scheduled task',
    description:
      '409 while it is running. A new time enables a task that has ended. `fresh_thread_per_run` lets go of its thread.',
    tags,
    params,
    body: scheduledTaskChange,
    response: { 200: scheduledTask },
  },
} as const satisfies Endpoint;

export const deleteScheduledTask = {
  method: 'DELETE',
  url: `${url}/:task_id`,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Delete a scheduled task with its history',
    description: 'Its threads and runs stay, also one that is under way.',
    tags,
    params,
    response: { 200: Type.Object({ id: Type.String(), deleted: Type.Boolean() }) },
  },
} as const satisfies Endpoint;

export const pauseScheduledTask = {
  method: 'POST',
  url: `${url}/:task_id/pause`,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Let a scheduled task rest',
    tags,
    params,
    response: { 200: scheduledTask },
  },
} as const satisfies Endpoint;

export const resumeScheduledTask = {
  method: 'POST',
  url: `${url}/:task_id/resume`,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Let a scheduled task run again',
    description:
      'What a cron has missed meanwhile is left out. A `once` task whose time has passed runs at once.',
    tags,
    params,
    response: { 200: scheduledTask },
  },
} as const satisfies Endpoint;

export const triggerScheduledTask = {
  method: 'POST',
  url: `${url}/:task_id/trigger`,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Run a scheduled task now',
    description:
      'Its schedule stays as it is, and a paused task stays paused. 409 while a run of it is under way. What becomes of the run is in its history.',
    tags,
    params,
    response: { 200: Type.Object({ id: Type.String(), triggered: Type.Boolean() }) },
  },
} as const satisfies Endpoint;

export const listScheduledTaskRuns = {
  method: 'GET',
  url: `${url}/:task_id/runs`,
  config: reads,
  schema: {
    summary: 'The history of a scheduled task, the newest first',
    description: 'The last 200 are kept.',
    tags,
    params,
    querystring: Type.Object(pageQuery),
    response: { 200: Type.Array(scheduledTaskRun) },
  },
} as const satisfies Endpoint;
