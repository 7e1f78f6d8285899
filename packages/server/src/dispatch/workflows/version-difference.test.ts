import { expect, it } from 'vitest';
import type { Graph } from '../graphs/graph.ts';
import { editParameters, parametersOf } from './saved-workflow-parameters.ts';
import { versionDifferenceOf } from './version-difference.ts';

const prompt = (text: string, title: string): Graph[string] => ({
  class_type: 'Encode',
  inputs: { text, clip: ['1', 0] },
  _meta: { title },
});
const before: Graph = {
  '1': { class_type: 'Load', inputs: { model: 'a' } },
  '2': prompt('a kite', 'Prompt'),
  '3': { class_type: 'Sample', inputs: { seed: 1, steps: 20, positive: ['2', 0] } },
};
const after: Graph = {
  '1': { class_type: 'Load', inputs: { model: 'a' } },
  '2': prompt('a ship', 'What to draw'),
  '3': { class_type: 'Sample', inputs: { seed: 1, steps: 30, positive: ['4', 0] } },
  '4': { class_type: 'Soften', inputs: { strength: 0.5 } },
};

it('names what differs by node and input, and by field and property, but not what is alike', () => {
  const read = (graph: Graph) => parametersOf(graph, { known: new Map() });
  const left = { graph: before, parameters: read(before) };
  const right = {
    graph: after,
    parameters: editParameters(read(after), [
      { name: 'steps', label: 'Care', pinned: true, position: 0 },
      { name: 'strength', hidden: true },
    ]),
  };
  const { differences, isCut } = versionDifferenceOf(left, right);

  expect(isCut).toBe(false);
  expect(differences.map(({ part, title, field, left: l, right: r }) => [part, title, field, l, r])).toEqual([
    ['graph', 'What to draw', '_meta.title', 'Prompt', 'What to draw'],
    ['graph', 'What to draw', 'text', 'a kite', 'a ship'],
    ['graph', 'Sample', 'steps', 20, 30],
    ['graph', 'Sample', 'positive', '← Prompt [0]', '← Soften [0]'],
    ['form', 'What to draw: Prompt', 'label', 'Prompt', 'What to draw: Prompt'],
    ['form', 'Care', 'label', 'Steps', 'Care'],
    ['form', 'Care', 'pinned', false, true],
    ['form', '', 'order', ['model', 'text', 'seed', 'steps'], ['steps', 'model', 'text', 'seed']],
    ['graph', 'Soften', 'class_type', undefined, 'Soften'],
    ['graph', 'Soften', 'strength', undefined, 0.5],
  ]);
  expect(versionDifferenceOf(left, left).differences).toEqual([]);
});
