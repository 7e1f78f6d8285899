import type { Input, NodeClass } from '../nodes/node-class.ts';
import { isRecord } from './graph.ts';
import { toBool, toFloat, toInt, toText } from './python.ts';

export interface ListedInput {
  name: string;
  input: Input<unknown>;
  isRequired: boolean;
}

export function listedInputs({ inputs }: NodeClass): ListedInput[] {
  return [
    ...Object.entries(inputs.required).map(([name, input]) => ({ name, input, isRequired: true })),
    ...Object.entries(inputs.optional).map(([name, input]) => ({ name, input, isRequired: false })),
  ];
}

/** Whether an output of one type may be linked to an input of another. A combo takes no link. */
export function fits(received: string, wanted: string | readonly string[]): boolean {
  if (typeof wanted !== 'string') return false;
  return wanted === '*' || received === '*' || received === wanted;
}

/** `{ "__value__": [...] }` is how a list is passed as a value and not as a link. */
export function unwrapped(value: unknown): unknown {
  return isRecord(value) && Object.hasOwn(value, '__value__') ? value.__value__ : value;
}

/** Python's conversions, which ComfyUI runs before it looks at a range. */
export function convert(value: unknown, type: string | readonly string[]): unknown {
  if (type === 'INT') return toInt(value);
  if (type === 'FLOAT') return toFloat(value);
  if (type === 'STRING') return toText(value);
  if (type === 'BOOLEAN') return toBool(value);
  return value;
}
