import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Endpoint } from '@switchyard/contract/endpoint';
import type { Fault } from '@switchyard/contract/errors';
import type {
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Logger } from '../platform/telemetry/logger.ts';

/** The server as routes see it: `app.route({ ...endpoint, handler })` types body, query, params and answer. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Logger,
  TypeBoxTypeProvider
>;

/** A part of the server: adds its routes, in a scope of its own. */
export type Routes = (app: App) => void;

declare module 'fastify' {
  // What an endpoint says about itself is readable at its route. Absent where no route matched.
  interface FastifyContextConfig extends Partial<Endpoint['config']> {
    /** Faults of a body that its schema cannot see. Asked when the schema refuses it, so that all are told at once. */
    moreFaults?: (body: unknown) => Fault[];
  }
}
