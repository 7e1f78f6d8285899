import type { Endpoint } from '@switchyard/contract/endpoint';
import { isRecord } from '@switchyard/contract/is-record';
import type { AuthEvent } from '../../agents/loading/auth-events.ts';
import type { CustomCall } from '../../http/access/custom-calls.ts';
import { type AuthFilter, narrowed } from './auth-filter.ts';
import type { Decision } from './decisions.ts';
import { nonsense } from './thrown.ts';

export type Json = Record<string, unknown>;

/** A request that the operator's handlers are asked about. */
export interface AskedRequest {
  call: CustomCall;
  /** Throws when the operator's handler refuses. */
  ask: (event: AuthEvent, value: Json) => Promise<Decision>;
}

/** Asks the handlers before a route answers. It throws what the client gets instead, or answers itself. */
export type AuthRule = (asked: AskedRequest) => Promise<void>;
export type RuleOfEndpoint = readonly [endpoint: Endpoint, rule: AuthRule];

export function paramOf({ call }: AskedRequest, name: string): string {
  return String(call.params[name]);
}

/** The body of a request is an object wherever a rule reads one, and an absent one counts as empty. */
export function bodyOf({ call }: AskedRequest): Json {
  const body = isRecord(call.body) ? call.body : {};
  call.body = body;
  return body;
}

/** The metadata as a handler has left them in its value: they are what is stored. */
export function metadataIn({ metadata }: Json, event: AuthEvent): Json {
  if (metadata === undefined || metadata === null) return {};
  if (isRecord(metadata)) return metadata;
  throw nonsense(`the handler of ${event} left something in value.metadata that is not an object`);
}

/** Nothing is found when a search asks for what the filter excludes. */
export function narrowSearch(
  asked: AskedRequest,
  filter: AuthFilter | null,
  nothing: NonNullable<CustomCall['answer']>,
): void {
  if (!filter) return;
  const body = bodyOf(asked);
  const both = narrowed(body.metadata as Json | null | undefined, filter);
  if (both) body.metadata = both;
  else asked.call.answer = nothing;
}
