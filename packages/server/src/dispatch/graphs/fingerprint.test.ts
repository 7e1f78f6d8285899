import { expect, test } from 'vitest';
import { fingerprintOf, modelHashOf, modelsIn } from './fingerprint.ts';
import type { Graph } from './graph.ts';

const graph: Graph = {
  '1': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'base.safetensors' } },
  '2': { class_type: 'LoraLoader', inputs: { model: ['1', 0], lora_name: 'style.safetensors', strength: 1 } },
  '3': { class_type: 'KSampler', inputs: { model: ['2', 0], seed: 1 } },
};

function withInput(id: string, inputs: Record<string, unknown>): Graph {
  const node = graph[id];
  if (!node) throw new Error(`no node ${id}`);
  return { ...graph, [id]: { ...node, inputs: { ...node.inputs, ...inputs } } };
}

test('plain values and the order of keys do not matter', () => {
  expect(fingerprintOf(withInput('3', { seed: 99 }))).toBe(fingerprintOf(graph));
  const reversed = Object.fromEntries(Object.entries(graph).reverse());
  expect(fingerprintOf(reversed)).toBe(fingerprintOf(graph));
});

test('another link, class or model makes another graph', () => {
  const others = [
    withInput('3', { model: ['1', 0] }),
    withInput('1', { ckpt_name: 'other.safetensors' }),
    { ...graph, '3': { class_type: 'Other', inputs: graph['3']?.inputs ?? {} } },
  ];
  expect(new Set([graph, ...others].map(fingerprintOf)).size).toBe(4);
});

test('another graph with the same models has the same model hash', () => {
  const rewired = withInput('3', { model: ['1', 0] });
  expect(modelHashOf(fingerprintOf(rewired))).toBe(modelHashOf(fingerprintOf(graph)));
  expect(modelHashOf(fingerprintOf(withInput('1', { ckpt_name: 'x.gguf' })))).not.toBe(
    modelHashOf(fingerprintOf(graph)),
  );
});

test('a graph without models has no model hash to share', () => {
  const plain = fingerprintOf({ '1': { class_type: 'EmptyImage', inputs: { width: 1 } } });
  expect(modelHashOf(plain)).toBeNull();
});

test('fits the column that keeps it', () => {
  expect(fingerprintOf(graph).length).toBeLessThanOrEqual(64);
});

test('lists the model files with the input that names them', () => {
  expect(modelsIn(graph)).toEqual([
    { input: 'CheckpointLoaderSimple.ckpt_name', model: 'base.safetensors' },
    { input: 'LoraLoader.lora_name', model: 'style.safetensors' },
  ]);
});
