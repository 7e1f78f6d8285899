import { createHash } from 'node:crypto';
import { isModelFile } from '@switchyard/contract/dispatch/model-file';
import { type Graph, isLink } from './graph.ts';

export interface ModelUse {
  /** `<node class>.<input>`, the name under which a worker lists what it offers. */
  input: string;
  model: string;
}

/** The model files that a graph asks for, each once, sorted. */
export function modelsIn(graph: Graph): ModelUse[] {
  const uses = new Map<string, ModelUse>();
  for (const node of Object.values(graph)) {
    for (const [name, value] of Object.entries(node.inputs)) {
      if (typeof value !== 'string' || !isModelFile(value)) continue;
      const input = `${node.class_type}.${name}`;
      uses.set(`${input}\n${value}`, { input, model: value });
    }
  }
  return [...uses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use);
}

/**
 * Returns `<graph hash>.<model hash>`. Two tasks with equal graph hashes differ at most in plain values (seed, prompt,
 * size), so a worker that ran one has the other's models loaded and part of its results cached. Equal model hashes mean
 * only that the same models are loaded; a graph without models has no model hash.
 */
export function fingerprintOf(graph: Graph): string {
  const shape = Object.keys(graph)
    .sort()
    .map((id) => {
      const { class_type, inputs } = graph[id] ?? { class_type: '', inputs: {} };
      const names = Object.keys(inputs).sort();
      return [id, class_type, names.map((name) => (isLink(inputs[name]) ? [name, inputs[name]] : name))];
    });
  const models = modelsIn(graph).map(({ model }) => model);
  return `${hash(JSON.stringify([shape, models]))}.${models.length > 0 ? hash(JSON.stringify([...new Set(models)].sort())) : ''}`;
}

/** The part of a fingerprint that says which models stay loaded; null when the graph uses no models. */
export function modelHashOf(fingerprint: string): string | null {
  const modelHash = fingerprint.slice(fingerprint.indexOf('.') + 1);
  return modelHash === '' ? null : modelHash;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
