import type { Input } from '../nodes/node-class.ts';
import type { PromptFault } from './prompt-error.ts';

export function rangeFault(
  value: unknown,
  { name, input, config }: { name: string; input: Input<unknown>; config: unknown },
): PromptFault | undefined {
  const { min, max } = input.options;
  const extra = { input_config: config, received_value: value };
  if (typeof min === 'number' && typeof value === 'number' && value < min)
    return inputFault('value_smaller_than_min', `Value ${value} smaller than min of ${min}`, { name, extra });
  if (typeof max === 'number' && typeof value === 'number' && value > max)
    return inputFault('value_bigger_than_max', `Value ${value} bigger than max of ${max}`, { name, extra });
  return undefined;
}

/** A reason that contains the input's name, as all reasons but two do. */
export function inputFault(
  type: string,
  message: string,
  { name, details, extra = {} }: { name: string; details?: string; extra?: Record<string, unknown> },
): PromptFault {
  return fault(type, message, { details: details ?? name, extra: { input_name: name, ...extra } });
}

export function fault(
  type: string,
  message: string,
  { details, extra }: { details: string; extra: Record<string, unknown> },
): PromptFault {
  return { type, message, details, extra_info: extra };
}
