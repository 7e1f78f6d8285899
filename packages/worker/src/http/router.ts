import type { Route } from './call.ts';

export type Match = { route: Route; params: Record<string, string> } | 'wrong_method' | undefined;

/** ComfyUI serves every route with and without this prefix. */
export function withoutPrefix(path: string): string {
  return path === '/api' || path.startsWith('/api/') ? path.slice(4) || '/' : path;
}

/** The GET route answers HEAD; Node leaves out the body. */
export function findRoute(routes: readonly Route[], method: string, path: string): Match {
  const matches = routes.flatMap((route) => {
    const params = paramsOf(route.path, path);
    return params === undefined ? [] : [{ route, params }];
  });
  const wanted = method === 'HEAD' ? 'GET' : method;
  return (
    matches.find(({ route }) => route.method === wanted) ?? (matches.length > 0 ? 'wrong_method' : undefined)
  );
}

function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const colon = pattern.indexOf(':');
  if (colon < 0) return pattern === path ? {} : undefined;
  const rest = path.slice(colon);
  if (!path.startsWith(pattern.slice(0, colon)) || rest === '' || rest.includes('/')) return undefined;
  const value = decoded(rest);
  return value === undefined ? undefined : { [pattern.slice(colon + 1)]: value };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
