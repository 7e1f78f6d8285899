import { expect, it } from 'vitest';
import { drawWorkflow } from './workflow-layout.ts';

const definitions = new Map<string, Record<string, unknown>>([
  [
    'Loader',
    {
      input: { required: { name: [['a', 'b']] } },
      output: ['MODEL', 'CLIP'],
      output_name: ['model', 'CLIP'],
    },
  ],
  [
    'Sampler',
    {
      input: {
        required: { model: ['MODEL'], seed: ['INT', { default: 0 }], steps: ['INT', { default: 20 }] },
        optional: { mode: ['COMBO', { options: ['x', 'y'] }], hint: ['STRING', { forceInput: true }] },
      },
      output: ['IMAGE'],
    },
  ],
  ['Load', { input: { required: { image: [['p.png'], { image_upload: true }] } }, output: ['IMAGE'] }],
]);

it('draws fields in the order of the class, with what the page keeps behind a seed', () => {
  const { nodes, links } = drawWorkflow(
    {
      '2': {
        class_type: 'Sampler',
        inputs: { steps: 4, seed: 9, model: ['3', 0] },
        _meta: { title: 'Draw' },
      },
      '3': { class_type: 'Loader', inputs: { name: 'b' } },
    },
    definitions,
  );
  expect(nodes).toMatchObject([
    {
      id: 2,
      title: 'Draw',
      widgets_values: [9, 'fixed', 4, 'x'],
      inputs: [
        { name: 'model', type: 'MODEL', link: 1 },
        { name: 'hint', type: 'STRING', link: null },
      ],
    },
    {
      id: 3,
      widgets_values: ['b'],
      outputs: [
        { name: 'model', links: [1] },
        { name: 'CLIP', links: [] },
      ],
    },
  ]);
  expect(links).toEqual([[1, 3, 0, 2, 0, 'MODEL']]);
});

it('places each node behind all that it takes from, and none upon another', () => {
  const { nodes } = drawWorkflow(
    {
      c: { class_type: 'Sampler', inputs: { model: ['b', 0], hint: ['a', 1] } },
      b: { class_type: 'Sampler', inputs: { model: ['a', 0] } },
      a: { class_type: 'Loader', inputs: {} },
      d: { class_type: 'Loader', inputs: {} },
    },
    definitions,
  );
  expect(nodes.map(({ pos: [x] }) => x)).toEqual([800, 400, 0, 0]);
  const [, , above, below] = nodes;
  expect(below?.pos[1]).toBeGreaterThan((above?.pos[1] ?? 0) + (above?.size[1] ?? 0));
});

it('gives nodes of subgraphs numbers of their own', () => {
  const { nodes, links, last_node_id } = drawWorkflow(
    {
      '4:1': { class_type: 'Loader', inputs: {} },
      '4': { class_type: 'Sampler', inputs: { model: ['4:1', 0] } },
    },
    definitions,
  );
  expect(nodes.map(({ id }) => id)).toEqual([4, 5]);
  expect([links, last_node_id]).toEqual([[[1, 5, 0, 4, 0, 'MODEL']], 5]);
});

it('keeps a link on a field, a field of an unknown class, and the button for uploads', () => {
  const { nodes } = drawWorkflow(
    {
      '1': { class_type: 'Sampler', inputs: { steps: ['2', 3] } },
      '2': { class_type: 'Unknown', inputs: { text: 'hello', other: ['3', 0] } },
      '3': { class_type: 'Load', inputs: { image: 'mine.png' } },
    },
    definitions,
  );
  expect(nodes[0]?.inputs).toContainEqual({ name: 'steps', type: 'INT', link: 1, widget: { name: 'steps' } });
  expect(nodes[0]?.widgets_values).toEqual([0, 'fixed', 20, 'x']);
  expect(nodes[1]).toMatchObject({
    widgets_values: ['hello'],
    inputs: [{ name: 'other', type: '*', link: 2 }],
    outputs: [{}, {}, {}, { links: [1] }],
  });
  expect(nodes[2]?.widgets_values).toEqual(['mine.png', 'image']);
});

it('draws a chain of five thousand nodes, and no slot that no node has', () => {
  const chain = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [
      String(index + 1),
      { class_type: 'Sampler', inputs: index === 4_999 ? {} : { model: [String(index + 2), 0] } },
    ]),
  );
  const { nodes } = drawWorkflow(chain, definitions);
  expect(nodes[0]?.pos[0]).toBe(4_999 * 400);
  const wild = {
    '1': { class_type: 'Sampler', inputs: { model: ['2', 1e9] } },
    '2': { class_type: 'Load', inputs: {} },
  };
  expect(drawWorkflow(wild, definitions).links).toEqual([]);
});
