import type { Endpoint } from '@switchyard/contract/endpoint';
import type { Static, TSchema } from 'typebox';

/** The input of a call: the parts that the endpoint declares. A part without a required field may be left out. */
export type InputOf<E extends Endpoint> = Part<'params', SchemaOf<E, 'params'>> &
  Part<'query', SchemaOf<E, 'querystring'>> &
  Part<'body', SchemaOf<E, 'body'>> &
  Part<'headers', SchemaOf<E, 'headers'>>;

/**
 * The result of a successful call: the value inside the envelope if there is one, and null when the answer has no
 * value.
 */
export type AnswerOf<E extends Endpoint> = Unwrapped<
  Static<E['schema']['response'][keyof E['schema']['response'] & SuccessStatus]>
>;

type SuccessStatus = 200 | 201 | 202 | 204;
type Unwrapped<Answer> = Answer extends { code: 200; data: infer Data } ? Data : Answer;

type SchemaOf<E extends Endpoint, Name extends keyof E['schema']> = E['schema'][Name];

type Part<Name extends string, Schema> = Schema extends TSchema
  ? Record<never, never> extends Static<Schema>
    ? { [Key in Name]?: Given<Static<Schema>> }
    : { [Key in Name]: Given<Static<Schema>> }
  : unknown;

/** A field that may be absent may also be given as undefined: neither is sent. */
type Given<Value> = {
  [Key in keyof Value]: Record<never, never> extends Pick<Value, Key> ? Value[Key] | undefined : Value[Key];
};
