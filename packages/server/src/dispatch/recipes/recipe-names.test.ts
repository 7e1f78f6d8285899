import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import type { Graph } from '../graphs/graph.ts';
import { placeNamer, valuesOf } from './recipe-names.ts';

const graph: Graph = {
  '1': { class_type: 'KSampler', inputs: { seed: 5, steps: 20, model: ['4', 0] } },
  '2': { class_type: 'Encode', inputs: { text: 'a red kite' }, _meta: { title: 'Positive' } },
  '3': { class_type: 'LoadImage', inputs: { image: 'sha256:ab', upload: 'image' } },
};
const parameter = (
  [node, title, input]: [string, string, string],
  { label = `${title}: ${input}`, hidden = false, placeholder = null as string | null },
) => ({ label, hidden, placeholder, sets: [{ node, title, input }] }) as WorkflowParameter;
const form = [
  parameter(['2', 'Positive', 'text'], { label: 'prompt', placeholder: 'prompt' }),
  parameter(['1', 'KSampler', 'steps'], { label: 'Patience' }),
  parameter(['1', 'KSampler', 'seed'], { hidden: true }),
];

it('has the values of a graph in the order and by the names of its form, without files and links', () => {
  const values = valuesOf(graph, { form, files: new Set(['sha256:ab']) });
  expect(values).toEqual([
    {
      param: '2.text',
      title: 'Positive',
      label: 'prompt',
      input: 'text',
      hidden: false,
      value: 'a red kite',
    },
    { param: '1.steps', title: 'KSampler', label: 'Patience', input: 'steps', hidden: false, value: 20 },
    { param: '1.seed', title: 'KSampler', label: null, input: 'seed', hidden: true, value: 5 },
    { param: '3.upload', title: 'LoadImage', label: null, input: 'upload', hidden: false, value: 'image' },
  ]);
});

it('names the places of a graph, and none outside it', () => {
  const nameOf = placeNamer([
    { graph: {}, form: [] },
    { graph, form },
  ]);
  expect(nameOf('graph.1.inputs.steps')).toEqual({ title: 'KSampler', label: 'Patience', input: 'steps' });
  expect(nameOf('graph.2.class_type')).toEqual({ title: 'Positive', label: null, input: null });
  for (const path of ['worker.version', 'graph.9.inputs.seed', 'graph'])
    expect(nameOf(path)).toEqual({ title: null, label: null, input: null });
});
