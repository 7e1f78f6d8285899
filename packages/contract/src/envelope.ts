import { type TSchema, Type } from 'typebox';

/** The dispatch area's answer to a request that succeeded. */
export function envelope<Data extends TSchema>(data: Data) {
  return Type.Object({ code: Type.Literal(200), data });
}

/** The value of an envelope around `data`. */
export function ok<Data>(data: Data): { code: 200; data: Data } {
  return { code: 200, data };
}
