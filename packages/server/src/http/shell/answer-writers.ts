import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifySchema, FastifySerializerCompiler } from 'fastify';

/**
 * An answer is written as its schema says. The writer is compiled when the first such answer is sent, so start-up does not
 * wait for those of all routes.
 */
export function answerWriters(): FastifySerializerCompiler<FastifySchema> {
  const compile = SerializerSelector()();
  return ({ httpStatus = 'default', ...route }) => {
    let write: ((value: unknown) => string) | null = null;
    return (value) => {
      write ??= compile({ ...route, httpStatus });
      return write(value);
    };
  };
}
