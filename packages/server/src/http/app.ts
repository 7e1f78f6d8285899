import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Endpoint } from '@switchyard/contract/endpoint';
import type { Fault } from '@switchyard/contract/errors';
import type {
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { AppError } from '../lib/app-error.ts';
import type { Logger } from '../platform/telemetry/logger.ts';

/** The server as routes see it: `app.route({ ...endpoint, handler })` types body, query, params and response. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Logger,
  TypeBoxTypeProvider
>;

/** A part of the server, which adds its routes in a scope of its own. */
export type Routes = (app: App) => void;

export interface ErrorAnswer {
  status: number;
  contentType: string;
  body: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the methods of the routes with this path, without those that take the rest of the paths. */
    methodsOf(path: string): string[];
    /** Returns whether such a route is at this path or below it. */
    hasRoutesBelow(path: string): boolean;
  }
  // The route makes the properties of its endpoint readable. Absent when no route matched.
  interface FastifyContextConfig extends Partial<Endpoint['config']> {
    /**
     * Faults of a body that its schema cannot find. Called when the schema refuses the body, so that all faults are
     * reported at once.
     */
    moreFaults?: (body: unknown) => Fault[];
    /** Writes an error in the words of another protocol. */
    errorAnswer?: (error: AppError) => ErrorAnswer;
  }
}
