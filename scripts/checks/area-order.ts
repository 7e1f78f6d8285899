/**
 * The order of folders inside each area of the server: a file imports from its own folder and from folders to its left.
 * `.` stands for the area's own files. The `create-…` files that put an area together stand behind all of them.
 */
const orders: Readonly<Record<string, readonly string[]>> = {
  http: [
    '.',
    'exchange',
    'streams',
    'access',
    'validation',
    'errors',
    'body',
    'health',
    'shell',
    'docs',
    'console',
  ],
  accounts: ['passwords', 'secrets', '.', 'grants'],
  agents: [
    'run-contract',
    '.',
    'own-code',
    'checkpoints',
    'store',
    'loading',
    'source-schemas',
    'state',
    'tools',
    'demo',
    'models',
    'middleware',
    'subagents',
    'lead',
    'run-events',
    'running',
  ],
  dispatch: [
    '.',
    'graphs',
    'shares',
    'worker-client',
    'tasks',
    'instances',
    'timeline',
    'queue',
    'attempts',
    'files',
    'collections',
    'webhooks',
    'intake',
    'batches',
    'workflows',
    'documents',
    'recipes',
    'archives',
    'fleet',
    'waiting',
    'sweeps',
    'push',
    'monitor',
    'replicas',
    'earlier-rows',
  ],
  conversation: [
    '.',
    'user-files',
    'journal',
    'usage',
    'expiry',
    'threads',
    'timeline',
    'workspace',
    'file-changes',
    'feedback',
    'profile',
    'custom-agents',
    'mcp',
    'skills',
    'memory',
    'suggestions',
    'own-routes',
    'catalog',
    'runs',
    'goals',
    'schedules',
    'turns',
    'protocol',
    'custom-auth',
  ],
  'conversation/runs': ['records', 'ending', 'execution', 'intake', '.'],
};

/** Returns whether an import from one file of the server to another points to the right inside an area. Paths are below `src`. */
export function pointsRight(from: string, to: string): boolean {
  return Object.entries(orders).some(([area, order]) => {
    if (!from.startsWith(`${area}/`) || !to.startsWith(`${area}/`)) return false;
    return rankIn(order, to.slice(area.length + 1)) > rankIn(order, from.slice(area.length + 1));
  });
}

/** Returns whether the file stands in a folder that the order of its area names. */
export function hasPlaceInArea(inside: string): boolean {
  return Object.entries(orders).every(
    ([area, order]) => !inside.startsWith(`${area}/`) || rankIn(order, inside.slice(area.length + 1)) >= 0,
  );
}

export function describeOrders(): string {
  return Object.entries(orders)
    .map(([area, order]) => `${area}: ${order.join(' → ')}`)
    .join('; ');
}

/** Migrations are history: they stand with the area's own files. */
function rankIn(order: readonly string[], rest: string): number {
  const [head = '', ...deeper] = rest.split('/');
  if (deeper.length === 0) return head.startsWith('create-') ? order.length : order.indexOf('.');
  return order.indexOf(head === 'migrations' ? '.' : head);
}
