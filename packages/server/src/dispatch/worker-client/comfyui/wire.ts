import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { callFailure } from './call-failure.ts';

/**
 * The parts of a worker's answers that are read. Every answer is checked against these before anything of it is used.
 */

const anything = Type.Unknown();
const anyRecord = Type.Record(Type.String(), anything);
export const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
export const optionalNumber = Type.Optional(Type.Union([Type.Number(), Type.Null()]));

export const promptAccepted = Compile(
  Type.Object({ prompt_id: Type.String(), number: Type.Number(), node_errors: Type.Optional(anything) }),
);

export const promptRefused = Compile(
  Type.Object({
    error: Type.Union([
      Type.String(),
      Type.Object({ type: Type.String(), message: optionalText, details: optionalText }),
    ]),
    node_errors: Type.Optional(anything),
  }),
);

export const nodeErrors = Compile(
  Type.Record(
    Type.String(),
    Type.Object({
      class_type: optionalText,
      errors: Type.Array(Type.Object({ type: Type.String(), message: optionalText, details: optionalText })),
    }),
  ),
);

const queueItem = Type.Unsafe<[number: number, promptId: string, ...rest: unknown[]]>(
  Type.Array(anything, { minItems: 2, prefixItems: [Type.Number(), Type.String()] }),
);
export const queue = Compile(
  Type.Object({ queue_running: Type.Array(queueItem), queue_pending: Type.Array(queueItem) }),
);

export const queueInfo = Compile(
  Type.Object({ exec_info: Type.Object({ queue_remaining: Type.Integer() }) }),
);

export const history = Compile(anyRecord);

const historyMessage = Type.Unsafe<[event: string, data: unknown]>(
  Type.Array(anything, { minItems: 2, prefixItems: [Type.String()] }),
);
export const historyEntry = Compile(
  Type.Object({
    outputs: Type.Record(Type.String(), anything),
    status: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Object({
          status_str: optionalText,
          messages: Type.Optional(Type.Array(historyMessage)),
        }),
      ]),
    ),
  }),
);

export const executionError = Compile(
  Type.Object({
    node_id: optionalText,
    node_type: optionalText,
    exception_type: optionalText,
    exception_message: optionalText,
  }),
);

export const nodeClass = Compile(
  Type.Object({ input: Type.Optional(anything), output_node: Type.Optional(Type.Boolean()) }),
);

export const names = Compile(Type.Array(Type.String()));

export const uploaded = Compile(
  Type.Object({ name: Type.String(), subfolder: Type.Optional(Type.String()) }),
);

export const features = Compile(
  Type.Object({ deletes_collected: Type.Optional(anything), max_upload_size: Type.Optional(anything) }),
);

export const cancelled = Compile(Type.Object({ cancelled: Type.Boolean() }));

export interface WireCheck<Value> {
  Check(value: unknown): value is Value;
}
export type Infer<Check> = Check extends WireCheck<infer Value> ? Value : never;

/** Parses the answer's JSON and requires the expected shape. */
export function readJson<Value>(body: Buffer, check: WireCheck<Value>, label: string): Value {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw callFailure('not_comfyui', label, { detail: 'no JSON', cause });
  }
  if (!check.Check(value)) {
    throw callFailure('bad_answer', label, { detail: 'unexpected shape' });
  }
  return value;
}
