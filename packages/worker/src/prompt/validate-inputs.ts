import type { Input, NodeClass } from '../nodes/node-class.ts';
import type { NodeRegistry } from '../nodes/registry.ts';
import { isLink, isRecord, nodeOf, type PromptGraph } from './graph.ts';
import type { PromptFault } from './prompt-error.ts';
import { PythonError, repr, toBool, toFloat, toInt, toText } from './python.ts';

export interface NodeVerdict {
  isValid: boolean;
  errors: PromptFault[];
}

/** One pass over a graph: each node is checked once, with all nodes upstream of it. */
export class GraphValidation {
  readonly verdicts = new Map<string, NodeVerdict>();
  readonly #graph: PromptGraph;
  readonly #registry: NodeRegistry;
  readonly #open = new Set<string>();

  constructor(graph: PromptGraph, registry: NodeRegistry) {
    this.#graph = graph;
    this.#registry = registry;
  }

  async checkOutput(id: string): Promise<NodeVerdict> {
    try {
      return await this.#check(id);
    } catch (error) {
      const verdict = {
        isValid: false,
        errors: [
          fault('exception_during_validation', 'Exception when validating node', {
            details: messageOf(error),
            extra: { exception_type: typeOf(error), traceback: [] },
          }),
        ],
      };
      this.verdicts.set(id, verdict);
      return verdict;
    }
  }

  /** Throws like Python where ComfyUI does not catch an exception: no inputs, or a link to a missing node or slot. */
  async #check(id: string): Promise<NodeVerdict> {
    const known = this.verdicts.get(id);
    if (known !== undefined) return known;
    // In ComfyUI a cycle ends in a recursion error, which leaves the nodes invalid without a reason.
    if (this.#open.has(id)) return { isValid: false, errors: [] };
    this.#open.add(id);
    try {
      const verdict = await this.#judge(id);
      this.verdicts.set(id, verdict);
      return verdict;
    } finally {
      this.#open.delete(id);
    }
  }

  async #judge(id: string): Promise<NodeVerdict> {
    const node = nodeOf(this.#graph, id);
    const nodeClass = this.#registry.require(node.class_type);
    if (!isRecord(node.inputs)) throw new PythonError('KeyError', "'inputs'");
    const errors: PromptFault[] = [];
    let isValid = true;
    for (const listed of listedInputs(nodeClass)) {
      const found = await this.#checkInput(node.inputs, listed);
      if (found !== undefined) isValid = false;
      if (found !== undefined && found !== 'upstream') errors.push(found);
    }
    return { isValid, errors };
  }

  async #checkInput(
    inputs: Record<string, unknown>,
    { name, input, isRequired }: ListedInput,
  ): Promise<PromptFault | 'upstream' | undefined> {
    if (!Object.hasOwn(inputs, name))
      return isRequired
        ? inputFault('required_input_missing', 'Required input is missing', { name })
        : undefined;
    const value = inputs[name];
    if (isLink(value)) return await this.#checkLink(value, name, input);
    return await this.#checkValue(inputs, name, input);
  }

  async #checkLink(
    link: unknown[],
    name: string,
    input: Input<unknown>,
  ): Promise<PromptFault | 'upstream' | undefined> {
    const config = this.#registry.configOf(input);
    if (link.length !== 2)
      return inputFault(
        'bad_linked_input',
        'Bad linked input, must be a length-2 list of [node_id, slot_index]',
        {
          name,
          extra: { input_config: config, received_value: link },
        },
      );
    const [source, slot] = link;
    const receivedType = this.#typeOfSlot(source, slot);
    if (!fits(receivedType, input.type))
      return inputFault('return_type_mismatch', 'Return type mismatch between linked nodes', {
        name,
        details: `${name}, received_type(${receivedType}) mismatch input_type(${toText(input.type)})`,
        extra: { input_config: config, received_type: receivedType, linked_node: link },
      });
    const sourceId = String(source);
    await Promise.resolve(); // A chain of thousands of nodes must not become a stack of that depth.
    try {
      return (await this.#check(sourceId)).isValid ? undefined : 'upstream';
    } catch (error) {
      const reason = fault('exception_during_inner_validation', 'Exception when validating inner node', {
        details: messageOf(error),
        extra: {
          input_name: name,
          input_config: config,
          exception_message: messageOf(error),
          exception_type: typeOf(error),
          traceback: [],
          linked_node: link,
        },
      });
      this.verdicts.set(sourceId, { isValid: false, errors: [reason] });
      return 'upstream';
    }
  }

  #typeOfSlot(source: unknown, slot: unknown): string {
    if (typeof source !== 'string' || !Object.hasOwn(this.#graph, source))
      throw new PythonError('KeyError', repr(source));
    const outputs = this.#registry.require(nodeOf(this.#graph, source).class_type).outputs;
    if (typeof slot !== 'number' || !Number.isInteger(slot))
      throw new PythonError('TypeError', `tuple indices must be integers or slices, not ${typeof slot}`);
    const output = outputs[slot];
    if (output === undefined) throw new PythonError('IndexError', 'tuple index out of range');
    return output.type;
  }

  /** Converts in place, as ComfyUI does: the queue then shows the converted value. */
  async #checkValue(
    inputs: Record<string, unknown>,
    name: string,
    input: Input<unknown>,
  ): Promise<PromptFault | undefined> {
    const received = unwrapped(inputs[name]);
    const config = this.#registry.configOf(input);
    let value: unknown;
    try {
      value = convert(received, input.type);
    } catch (error) {
      return inputFault(
        'invalid_input_type',
        `Failed to convert an input value to a ${toText(input.type)} value`,
        {
          name,
          details: `${name}, ${toText(received)}, ${messageOf(error)}`,
          extra: { input_config: config, received_value: received, exception_message: messageOf(error) },
        },
      );
    }
    inputs[name] = value;
    if (input.validate !== undefined) return this.#checkWithOwnRule(value, name, input.validate);
    return rangeFault(value, { name, input, config }) ?? (await this.#listFault(value, name, input));
  }

  async #checkWithOwnRule(value: unknown, name: string, validate: NonNullable<Input<unknown>['validate']>) {
    const verdict = await validate(value, this.#registry.files);
    return verdict === true
      ? undefined
      : inputFault('custom_validation_failed', 'Custom validation failed for node', {
          name,
          details: `${name} - ${verdict}`,
        });
  }

  async #listFault(value: unknown, name: string, input: Input<unknown>): Promise<PromptFault | undefined> {
    const values = await this.#registry.valuesOf(input);
    if (values === undefined || values.includes(value as string)) return undefined;
    const isLong = values.length > 20;
    return inputFault('value_not_in_list', 'Value not in list', {
      name,
      details: `${name}: '${toText(value)}' not in ${isLong ? `(list of length ${values.length})` : repr(values)}`,
      extra: { input_config: isLong ? null : [values, input.options], received_value: value },
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function typeOf(error: unknown): string {
  return error instanceof PythonError ? error.type : 'RuntimeError';
}

function rangeFault(
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
function inputFault(
  type: string,
  message: string,
  { name, details, extra = {} }: { name: string; details?: string; extra?: Record<string, unknown> },
): PromptFault {
  return fault(type, message, { details: details ?? name, extra: { input_name: name, ...extra } });
}

function fault(
  type: string,
  message: string,
  { details, extra }: { details: string; extra: Record<string, unknown> },
): PromptFault {
  return { type, message, details, extra_info: extra };
}

interface ListedInput {
  name: string;
  input: Input<unknown>;
  isRequired: boolean;
}

function listedInputs({ inputs }: NodeClass): ListedInput[] {
  return [
    ...Object.entries(inputs.required).map(([name, input]) => ({ name, input, isRequired: true })),
    ...Object.entries(inputs.optional).map(([name, input]) => ({ name, input, isRequired: false })),
  ];
}

/** Returns whether an output of one type may be linked to an input of another. A combo takes no link. */
function fits(received: string, wanted: string | readonly string[]): boolean {
  if (typeof wanted !== 'string') return false;
  return wanted === '*' || received === '*' || received === wanted;
}

/** `{ "__value__": [...] }` is how a list is passed as a value and not as a link. */
function unwrapped(value: unknown): unknown {
  return isRecord(value) && Object.hasOwn(value, '__value__') ? value.__value__ : value;
}

/** Python's conversions, which ComfyUI runs before it looks at a range. */
function convert(value: unknown, type: string | readonly string[]): unknown {
  if (type === 'INT') return toInt(value);
  if (type === 'FLOAT') return toFloat(value);
  if (type === 'STRING') return toText(value);
  if (type === 'BOOLEAN') return toBool(value);
  return value;
}
