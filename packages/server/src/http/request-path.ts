import { type Area, areaOfPath } from '@switchyard/contract/areas';
import type { FastifyRequest } from 'fastify';

export function pathOf({ url }: Pick<FastifyRequest, 'url'>): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** Uses the matched route, so that no odd spelling of its path leads to the other area. */
export function areaOf(request: FastifyRequest): Area {
  return areaOfPath(request.routeOptions.url ?? pathOf(request));
}
