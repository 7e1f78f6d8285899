import { isRecord } from '@switchyard/contract/is-record';
import { compressWell, type Encoding } from '../../http/shell/compression.ts';
import { forEachMember } from '../../lib/async/json-members.ts';
import { Turns } from '../../lib/async/turns.ts';
import type { ObjectInfoStore } from './object-info-store.ts';

const classesPerTurn = 128;

/** The description of a node class, as its worker gives it. */
export type NodeDefinition = Record<string, unknown>;

export interface PoolDefinitions {
  classes: ReadonlyMap<string, NodeDefinition>;
  /** The files that workers list themselves for an input, by `<class>.<input>`. Clients do not see them. */
  workerFiles: ReadonlyMap<string, ReadonlySet<unknown>>;
  /** The embeddings that any worker has, by name. */
  embeddings: string[];
  /** The answer to `GET /object_info`. */
  json: Buffer;
  /** The same, compressed when it is first asked for. */
  compressed: (encoding: Encoding) => Promise<Buffer>;
}

/**
 * The nodes of the whole pool. They are put together when the first client asks, and again when a worker has reported
 * something else, so a gateway whose door is not used holds none of it.
 */
export class PoolNodes {
  readonly #infos: Pick<ObjectInfoStore, 'hashes' | 'toldBy'>;
  #present: { key: string; definitions: Promise<PoolDefinitions> } | null = null;

  constructor(infos: Pick<ObjectInfoStore, 'hashes' | 'toldBy'>) {
    this.#infos = infos;
  }

  async definitions(): Promise<PoolDefinitions> {
    const told = await this.#infos.hashes();
    const key = JSON.stringify(told);
    if (this.#present?.key !== key) this.#present = { key, definitions: this.#read(told) };
    const { definitions } = this.#present;
    try {
      return await definitions;
    } catch (error) {
      if (this.#present?.definitions === definitions) this.#present = null;
      throw error;
    }
  }

  async #read(told: readonly { instanceId: string; hash: string }[]): Promise<PoolDefinitions> {
    const oneOfEach = new Map(told.map(({ instanceId, hash }) => [hash, instanceId]));
    const classes = new Map<string, NodeDefinition>();
    const embeddings = new Set<string>();
    for (const [hash, instanceId] of oneOfEach) {
      const nodes = await this.#infos.toldBy(instanceId, hash);
      if (!nodes) continue;
      await forEachMember(nodes.objectInfo, (name, definition) => addClass(classes, name, definition));
      for (const name of nodes.embeddings) embeddings.add(name);
    }
    const workerFiles = takeFileLists(classes);
    // Bytes, since a text would be turned into them for every client.
    const json = Buffer.from(await textOf(classes));
    const compressing = new Map<Encoding, Promise<Buffer>>();
    const compressed = (encoding: Encoding): Promise<Buffer> => {
      const known = compressing.get(encoding) ?? compressWell(encoding, json);
      compressing.set(encoding, known);
      return known;
    };
    return { classes, workerFiles, embeddings: [...embeddings].sort(), json, compressed };
  }
}

/** Each input of a class with the group that it is in. */
export function* inputsOf(
  definition: NodeDefinition,
): Generator<{ name: string; isRequired: boolean; specification: unknown[] }> {
  if (!isRecord(definition.input)) return;
  for (const group of ['required', 'optional'] as const) {
    const inputs = definition.input[group];
    if (!isRecord(inputs)) continue;
    for (const [name, specification] of Object.entries(inputs))
      if (Array.isArray(specification)) yield { name, isRequired: group === 'required', specification };
  }
}

/** The choices of `[[choices], options]` or `["COMBO", { options: [choices] }]`; null for an input that takes something else. */
export function choicesOf(specification: readonly unknown[]): unknown[] | null {
  const [type, options] = specification;
  if (Array.isArray(type)) return type;
  return type === 'COMBO' && isRecord(options) && Array.isArray(options.options) ? options.options : null;
}

export function takesFile([, options]: readonly unknown[]): boolean {
  return isRecord(options) && uploadFlags.some((flag) => options[flag] === true);
}

const uploadFlags = ['image_upload', 'video_upload', 'audio_upload', 'file_upload'];

function addClass(classes: Map<string, NodeDefinition>, name: string, definition: unknown): void {
  if (!isRecord(definition)) return;
  const known = classes.get(name);
  if (known) addChoices(known, definition);
  else classes.set(name, definition);
}

/** Writes a few classes in each turn of the event loop, since all of them are megabytes. */
async function textOf(classes: ReadonlyMap<string, NodeDefinition>): Promise<string> {
  const turns = new Turns(classesPerTurn);
  const members: string[] = [];
  for (const [name, definition] of classes) {
    await turns.next();
    members.push(`${JSON.stringify(name)}:${JSON.stringify(definition)}`);
  }
  return `{${members.join(',')}}`;
}

/** A choice that any worker has is a choice of the pool. In everything else the first worker counts. */
function addChoices(known: NodeDefinition, more: NodeDefinition): void {
  const others = new Map([...inputsOf(more)].map(({ name, specification }) => [name, specification]));
  for (const { name, specification } of inputsOf(known)) {
    const choices = choicesOf(specification);
    const added = choicesOf(others.get(name) ?? []);
    if (!choices || !added) continue;
    const all = new Set(choices);
    choices.push(...added.filter((choice) => !all.has(choice)));
  }
}

/** A worker lists the files on its disk, which belong to all who use it, so no account sees the list. */
function takeFileLists(classes: ReadonlyMap<string, NodeDefinition>): Map<string, ReadonlySet<unknown>> {
  const files = new Map<string, ReadonlySet<unknown>>();
  for (const [nodeClass, definition] of classes) {
    for (const { name, specification } of inputsOf(definition)) {
      const choices = takesFile(specification) ? choicesOf(specification) : null;
      if (choices) files.set(`${nodeClass}.${name}`, new Set(choices.splice(0)));
    }
  }
  return files;
}
