import type { Endpoint } from '@switchyard/contract/endpoint';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { comfyuiErrorText } from './comfyui-errors.ts';

export type ComfyuiHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Returns the route of a call whose errors read as ComfyUI writes them. */
export function comfyuiRoute(
  endpoint: Endpoint,
  handler: ComfyuiHandler,
  {
    errorAnswer = comfyuiErrorText,
    bodyLimit,
  }: { errorAnswer?: typeof comfyuiErrorText; bodyLimit?: number } = {},
) {
  return {
    ...endpoint,
    config: { ...endpoint.config, errorAnswer },
    ...(bodyLimit !== undefined && { bodyLimit }),
    handler,
  };
}

/** Returns undefined for a number that is absent or -1, which ComfyUI takes for absent. */
export function countIn(name: string, value: unknown): number | undefined {
  if (value === undefined || value === '-1') return undefined;
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  if (count === undefined) throw malformed(`${name} must be a whole number.`);
  return count;
}

export function malformed(message: string): AppError {
  return new AppError('body_malformed', { message });
}
