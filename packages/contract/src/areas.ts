export type Area = 'dispatch' | 'conversation';

const dispatchRoots = new Set([
  'auth',
  'instances',
  'tasks',
  'files',
  'config',
  'monitor',
  'health',
  'webhooks',
  'workflows',
]);

/** Which contract a path belongs to; it decides the shape of errors. `/api/v1/auth` is conversation, `/api/auth` dispatch. */
export function areaOfPath(path: string): Area {
  const [, api, root] = path.split('/', 3);
  return api === 'api' && root !== undefined && dispatchRoots.has(root) ? 'dispatch' : 'conversation';
}
