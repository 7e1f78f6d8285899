import type { Endpoint } from '../endpoint.ts';

/**
 * Threads, runs, assistants and the store answer under both mounts: the gateway's contract names one, LangGraph clients
 * expect the other.
 */
export const mounts = ['/api', '/api/langgraph'] as const;
export type Mount = (typeof mounts)[number];

/** The same endpoint under another mount. The constants are written with `/api`. */
export function at<Given extends Endpoint>(mount: Mount, endpoint: Given): Given {
  if (mount === '/api') return endpoint;
  const { url, schema, config } = endpoint;
  return {
    ...endpoint,
    url: mount + url.slice('/api'.length),
    config: { ...config, untypedJson: true },
    schema: { ...schema, tags: schema.tags.map((tag) => `LangGraph: ${tag}`) },
  };
}
