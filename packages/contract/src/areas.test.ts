import { expect, test } from 'vitest';
import { areaOfPath } from './areas.ts';

test.each([
  '/api/tasks',
  '/api/tasks/1/retry',
  '/api/auth/login',
  '/api/health',
  '/api/files/',
  '/ws',
  '/uploads/id/cat.png',
])('%s is dispatch', (path) => {
  expect(areaOfPath(path)).toBe('dispatch');
});

test.each([
  '/api/v1/auth/login/local',
  '/api/threads',
  '/api',
  '/api/',
  '/tasks',
  '/wsx',
  '/uploads',
  '/xapi/tasks',
  '/api/tasksx',
  '/',
])('%s is conversation', (path) => {
  expect(areaOfPath(path)).toBe('conversation');
});
