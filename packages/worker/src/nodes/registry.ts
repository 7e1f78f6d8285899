import type { WorkerFiles } from '../files/worker-files.ts';
import type { Input, NodeClass, NodeInputs } from './node-class.ts';

/** The node classes of this worker, and how `/object_info` prints them. */
export class NodeRegistry {
  readonly files: WorkerFiles;
  readonly #classes: ReadonlyMap<string, NodeClass>;

  constructor(classes: readonly NodeClass[], files: WorkerFiles) {
    this.files = files;
    this.#classes = new Map(classes.map((nodeClass) => [nodeClass.name, nodeClass]));
  }

  get(name: string): NodeClass | undefined {
    return this.#classes.get(name);
  }

  require(name: string): NodeClass {
    const nodeClass = this.#classes.get(name);
    if (nodeClass === undefined) throw new RangeError(`There is no node class ${name}.`);
    return nodeClass;
  }

  async objectInfo(name?: string): Promise<Record<string, unknown>> {
    const all = [...this.#classes.values()];
    const wanted = name === undefined ? all : all.filter((nodeClass) => nodeClass.name === name);
    return Object.fromEntries(
      await Promise.all(
        wanted.map(async (nodeClass) => [nodeClass.name, await this.#infoOf(nodeClass)] as const),
      ),
    );
  }

  /** The values of a combo, or undefined for any other input. */
  async valuesOf(input: Input<unknown>): Promise<readonly string[] | undefined> {
    if (input.list !== undefined) return await input.list(this.files);
    return typeof input.type === 'string' ? undefined : input.type;
  }

  /** `[type, options]`, as errors quote it. */
  configOf(input: Input<unknown>): [unknown, Record<string, unknown>] {
    return [input.type, input.options];
  }

  async #infoOf(nodeClass: NodeClass): Promise<Record<string, unknown>> {
    const { required, optional, hidden } = nodeClass.inputs;
    const input = {
      required: await this.#print(required),
      ...(Object.keys(optional).length > 0 && { optional: await this.#print(optional) }),
      ...(Object.keys(hidden).length > 0 && { hidden }),
    };
    return {
      input,
      input_order: Object.fromEntries(
        Object.entries(input).map(([kind, fields]) => [kind, Object.keys(fields)]),
      ),
      output: nodeClass.outputs.map(({ type }) => type),
      output_is_list: nodeClass.outputs.map(() => false),
      output_name: nodeClass.outputs.map(({ name }) => name),
      name: nodeClass.name,
      display_name: nodeClass.displayName ?? nodeClass.name,
      description: nodeClass.description ?? '',
      python_module: 'reference_worker',
      category: nodeClass.category,
      output_node: nodeClass.isOutput,
    };
  }

  async #print(fields: NodeInputs['required']): Promise<Record<string, unknown>> {
    const printed = Object.entries(fields).map(async ([name, input]) => {
      const type = (await this.valuesOf(input)) ?? input.type;
      return [name, Object.keys(input.options).length > 0 ? [type, input.options] : [type]] as const;
    });
    return Object.fromEntries(await Promise.all(printed));
  }
}
