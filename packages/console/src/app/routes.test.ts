import { expect, it } from 'vitest';
import { routeAt } from './routes.ts';

it.each([
  ['/overview', '/overview'],
  ['/tasks', '/tasks/:taskId?'],
  ['/tasks/0199-a', '/tasks/:taskId?'],
  ['/runs', '/runs'],
  ['/runs/file', '/runs/file'],
  ['/runs/thread/run', '/runs/:threadId/:runId'],
  ['/overview/more', undefined],
  ['/nowhere', undefined],
  ['/', undefined],
])('the page at %s is that of %s', (address, path) => {
  expect(routeAt(address)?.path).toBe(path);
});
