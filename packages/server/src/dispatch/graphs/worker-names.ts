import { createHmac, type KeyObject } from 'node:crypto';
import type { Keys } from '../../platform/keys.ts';
import type { Graph } from './graph.ts';

/** The inputs that set how the names of a node's files begin. Compared without case and `_`. */
const prefixInputs = new Set(['filenameprefix', 'fileprefix', 'saveprefix', 'outputprefix']);

export function isPrefixInput(input: string): boolean {
  return prefixInputs.has(input.toLowerCase().replaceAll('_', ''));
}

/** The names that one attempt's files have on the worker, and the names that its owner sees. */
export interface AttemptNames {
  putOn(graph: Graph): Graph;
  takeOff(text: string): string;
}

const digits = 32;

/**
 * A worker is one disk for all its users, and its nodes number file names, so a name could be guessed. The names of
 * each attempt therefore begin with a prefix that follows from a secret: a gateway that finds the execution again after
 * a restart knows the prefix too.
 */
export class WorkerNames {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** An attempt that began under a former secret has the prefix of that one. */
  of(promptId: string): AttemptNames {
    const prefix = prefixOf(this.#keys.signing(), promptId);
    const known = this.#keys.accepted().map((key) => prefixOf(key, promptId));
    return {
      putOn: (graph) => withPrefix(graph, prefix),
      takeOff: (text) => known.reduce((rest, each) => rest.replaceAll(each, ''), text),
    };
  }
}

/** Lower case and no folder: some disks ignore case, and some nodes write without making the folder. */
function prefixOf(key: KeyObject, promptId: string): string {
  const mac = createHmac('sha256', key).update(promptId).digest('hex');
  return `sy-${mac.slice(0, digits)}-`;
}

/**
 * Returns a new graph; nodes that write no files are shared with the given one. The text behind a linked prefix is not
 * known here, so a linked prefix stays.
 */
function withPrefix(graph: Graph, prefix: string): Graph {
  const prefixed = { ...graph };
  for (const [id, node] of Object.entries(graph)) {
    const changed = Object.entries(node.inputs).flatMap(([name, value]) =>
      typeof value === 'string' && isPrefixInput(name) ? [[name, `${prefix}${value}`] as const] : [],
    );
    if (changed.length > 0) {
      prefixed[id] = { ...node, inputs: { ...node.inputs, ...Object.fromEntries(changed) } };
    }
  }
  return prefixed;
}
