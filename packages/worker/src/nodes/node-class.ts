import type { WorkerFiles } from '../files/worker-files.ts';
import type { WorkerLimits } from '../options.ts';

/**
 * A node class is a table entry: `/object_info` prints its inputs, validation checks a graph against them, and
 * `execute` receives them typed. There is no other list.
 */
export interface NodeClass {
  name: string;
  displayName?: string;
  description?: string;
  category: string;
  inputs: NodeInputs;
  outputs: readonly NodeOutput[];
  isOutput: boolean;
  /** Part of what decides whether a node is unchanged: the hash of a file that it reads, or a value that is always new. */
  fingerprint?: (inputs: Record<string, unknown>, files: WorkerFiles) => Promise<string>;
  execute: (inputs: Record<string, unknown>, run: NodeRun) => Promise<NodeResult>;
}

export interface NodeInputs {
  required: Record<string, Input<unknown>>;
  optional: Record<string, Input<unknown>>;
  hidden: Record<string, string>;
}

export interface NodeOutput {
  type: string;
  name: string;
}

export interface Input<Value> {
  /** `IMAGE`, `INT`, …, `*`, or the values of a combo. */
  type: string | readonly string[];
  options: Record<string, unknown>;
  /** Combo values that change, such as the files of the input folder; read at each request. */
  list?: (files: WorkerFiles) => Promise<string[]>;
  /** Replaces the check against the list; returns the reason of a refusal. */
  validate?: (value: unknown, files: WorkerFiles) => Promise<true | string>;
  /** Holds the type from the table for `execute`; it has no value at run time. */
  readonly value?: Value;
}

export interface NodeResult {
  values?: readonly unknown[];
  /** The part of the output that clients see and history keeps: `{ images: [...] }`, `{ text: [...] }`. */
  ui?: Record<string, readonly unknown[]>;
}

/** The things that a node may use while it runs. */
export interface NodeRun {
  nodeId: string;
  prompt: unknown;
  extraPngInfo: Record<string, unknown>;
  files: WorkerFiles;
  limits: WorkerLimits;
  /**
   * Reports progress, lets sockets be served, and throws when the prompt was interrupted. A picture is always sent. A
   * function is called only when a client watches and the last picture is some time ago.
   */
  tick: (value: number, max: number, preview?: Preview | (() => Promise<Preview>)) => Promise<void>;
  sendText: (text: string) => void;
  /** Throws when the prompt was interrupted; otherwise lets sockets and requests be served. */
  breathe: () => Promise<void>;
}

export interface Preview {
  format: 'JPEG' | 'PNG';
  bytes: Uint8Array;
}

type Fields = Record<string, Input<unknown>>;
type Values<Shape extends Fields> = {
  [Name in keyof Shape]: Shape[Name] extends Input<infer Value> ? Value : never;
};

interface Definition<Required extends Fields, Optional extends Fields> {
  displayName?: string;
  description?: string;
  category: string;
  required: Required;
  optional?: Optional;
  hidden?: Record<string, string>;
  outputs: readonly (string | readonly [type: string, name: string])[];
  isOutput?: boolean;
  fingerprint?: (inputs: Values<Required> & Partial<Values<Optional>>, files: WorkerFiles) => Promise<string>;
  execute: (inputs: Values<Required> & Partial<Values<Optional>>, run: NodeRun) => Promise<NodeResult>;
}

/** Validation has shown that the inputs have the types of the table, so the erased signature is safe. */
export function defineNode<Required extends Fields, Optional extends Fields = Record<never, never>>(
  name: string,
  definition: Definition<Required, Optional>,
): NodeClass {
  const { required, optional, hidden, outputs, isOutput, fingerprint, execute, ...texts } = definition;
  type Erased = (inputs: Record<string, unknown>, run: NodeRun) => Promise<NodeResult>;
  return {
    name,
    ...texts,
    inputs: { required, optional: optional ?? {}, hidden: hidden ?? {} },
    outputs: outputs.map((output) =>
      typeof output === 'string' ? { type: output, name: output } : { type: output[0], name: output[1] },
    ),
    isOutput: isOutput ?? false,
    ...(fingerprint && { fingerprint: fingerprint as NonNullable<NodeClass['fingerprint']> }),
    execute: execute as unknown as Erased,
  };
}
