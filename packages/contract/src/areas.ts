export type Area = 'dispatch' | 'conversation';

const dispatchRoots = new Set([
  'auth',
  'instances',
  'tasks',
  'files',
  'collections',
  'config',
  'monitor',
  'overview',
  'health',
  'webhooks',
  'workflows',
  'shares',
  'queue',
  'task-batches',
  'sweeps',
  'audit',
  'system',
  'comfyui',
]);

/** Returns the contract of a path; it decides the shape of errors. `/api/v1/auth` is conversation, `/api/auth` dispatch. */
export function areaOfPath(path: string): Area {
  if (!path.startsWith('/api/')) return isDispatchBesideApi(path) ? 'dispatch' : 'conversation';
  // This runs for every request. A slice is cheaper than a split, which makes a list of all parts.
  const end = path.indexOf('/', apiLength);
  const root = end < 0 ? path.slice(apiLength) : path.slice(apiLength, end);
  return dispatchRoots.has(root) ? 'dispatch' : 'conversation';
}

/** The socket, links to files, and the door for clients of ComfyUI. */
function isDispatchBesideApi(path: string): boolean {
  return path === '/ws' || path.startsWith('/uploads/') || path === '/comfy' || path.startsWith('/comfy/');
}

const apiLength = '/api/'.length;
