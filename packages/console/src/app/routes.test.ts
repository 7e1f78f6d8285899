import { consolePaths } from '@switchyard/contract/console-pages';
import { expect, it } from 'vitest';
import { routeAt, routes } from './routes.ts';

it('has a page for each address at which the gateway answers the console', () => {
  const shown = consolePaths.filter((path) => path !== '/' && path !== '/login');
  expect(routes.map(({ path }) => path).sort()).toEqual([...shown].sort());
});

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
