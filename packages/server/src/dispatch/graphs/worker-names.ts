import { createHmac, type KeyObject } from 'node:crypto';
import type { Graph } from './graph.ts';

/** The inputs by which nodes are told how the names of the files that they write begin. Compared without case and `_`. */
const prefixInputs = new Set(['filenameprefix', 'fileprefix', 'saveprefix', 'outputprefix']);

export function isPrefixInput(input: string): boolean {
  return prefixInputs.has(input.toLowerCase().replaceAll('_', ''));
}

/** The names that one attempt's files have on the worker, and what its owner sees of them. */
export interface RunNames {
  putOn(graph: Graph): Graph;
  takeOff(text: string): string;
}

const digits = 32;

/**
 * A worker is one disk for all its users, and its nodes count names up, so a name could be guessed. Each attempt gets a
 * beginning for its names that follows from a secret: a gateway that finds the run again after a restart knows it too.
 */
export class WorkerNames {
  readonly #key: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  of(promptId: string): RunNames {
    const mac = createHmac('sha256', this.#key).update(promptId).digest('hex');
    // Lower case and no folder: some disks ignore case, and some nodes write where they make no folder.
    const prefix = `sy-${mac.slice(0, digits)}-`;
    return {
      putOn: (graph) => withPrefix(graph, prefix),
      takeOff: (text) => text.replaceAll(prefix, ''),
    };
  }
}

/** A new graph; nodes that write no files are shared with the given one. A linked prefix is not known here and stays. */
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
