import type { IncomingMessage } from 'node:http';
import { comfyuiBase, comfyuiCall, comfyuiPathTokens } from '@switchyard/contract/doors/comfyui-address';
import type { FastifyRequest } from 'fastify';

/** `/comfy/t/<token>` and what follows it. */
const withToken = new RegExp(`^${comfyuiPathTokens}/([^/?]+)(.*)$`, 's');
const masked = `${comfyuiPathTokens}/***`;

const tokens = new WeakMap<IncomingMessage, string>();

/**
 * Takes the token out of an address before a route is looked for, so that no code behind can write it into a log or an answer.
 * Returns the address without it, which is that of the same call with the token in a header.
 */
export function takePathToken(request: IncomingMessage & { originalUrl?: string }): string {
  const { url = '/' } = request;
  const [, token, rest = ''] = withToken.exec(url) ?? [];
  if (token === undefined) return comfyuiCall(url);
  tokens.set(request, token);
  request.originalUrl = masked + rest;
  return comfyuiCall(comfyuiBase + rest);
}

/** Returns the address under which routes know a call. */
export function routedAddress(url: string): string {
  return comfyuiCall(url.replace(withToken, `${comfyuiBase}$2`));
}

/** Returns undefined when the address had none. */
export function pathTokenOf(request: IncomingMessage): string | undefined {
  return tokens.get(request);
}

/** The route of a request for its line in the log, which shows that the token stood in the address. */
export function routeInLog({ routeOptions, raw }: FastifyRequest): string {
  const route = routeOptions.url ?? 'none';
  return tokens.has(raw) ? route.replace(comfyuiBase, masked) : route;
}
