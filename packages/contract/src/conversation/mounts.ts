import type { Endpoint } from '../endpoint.ts';

/**
 * Threads, runs, assistants and the store answer under both mounts: the gateway's contract names one, LangGraph clients
 * expect the other.
 */
export const mounts = ['/api', '/api/langgraph'] as const;
export type Mount = (typeof mounts)[number];

/**
 * The same endpoint under another mount. The constants are written with `/api`. LangGraph's SDK decides what the Platform mount has, so
 * what is deprecated below `/api` stays there.
 */
export function at<Given extends Endpoint>(mount: Mount, endpoint: Given): Given {
  if (mount === '/api') return endpoint;
  const { url, schema } = endpoint;
  const { deprecated: _stays, ...config } = endpoint.config;
  return {
    ...endpoint,
    url: mount + url.slice('/api'.length),
    config: { ...config, untypedJson: true },
    schema: { ...schema, tags: schema.tags.map((tag) => `LangGraph: ${tag}`) },
  };
}
