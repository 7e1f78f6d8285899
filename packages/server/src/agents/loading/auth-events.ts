/** The actions that the `on` handlers of LangGraph's `Auth` decide about. */
export const authActions = {
  threads: ['create', 'read', 'update', 'delete', 'search', 'create_run'],
  assistants: ['create', 'read', 'update', 'delete', 'search'],
  crons: ['create', 'read', 'update', 'delete', 'search'],
  store: ['put', 'get', 'search', 'list_namespaces', 'delete'],
} as const;

export type AuthResource = keyof typeof authActions;
export type AuthEvent = {
  [Resource in AuthResource]: `${Resource}:${(typeof authActions)[Resource][number]}`;
}[AuthResource];

/** The names under which a handler can be registered. */
export const authKeys: ReadonlySet<string> = new Set([
  '*',
  ...Object.entries(authActions).flatMap(([resource, actions]) => [
    resource,
    ...actions.flatMap((action) => [`${resource}:${action}`, `*:${action}`]),
  ]),
]);

/** The names under which the handler of an event is looked for: the particular one comes first, and one alone is called. */
export function authKeysOf(event: AuthEvent): string[] {
  const [resource = '', action = ''] = event.split(':');
  return [event, resource, `*:${action}`, '*'];
}
