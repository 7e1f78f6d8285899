import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { describe, expect, it } from 'vitest';
import type { Graph } from '../graphs/graph.ts';
import { editParameters, type KnownInputs, parametersOf } from './saved-workflow-parameters.ts';

const known: KnownInputs = new Map([
  [
    'KSampler',
    {
      seed: { type: 'integer', minimum: 0, description: 'The noise.' },
      cfg: { type: 'number', minimum: 0, maximum: 100, step: 0.1 },
      sampler_name: { type: 'choice', choices: ['euler', 'ddim'] },
    },
  ],
  ['Encode', { text: { type: 'string', multiline: true } }],
]);

const graph: Graph = {
  '3': node('KSampler', { seed: 5, cfg: 8, sampler_name: 'euler', positive: ['6', 0] }),
  '6': node('Encode', { text: 'a kite' }, 'Positive prompt'),
  '7': node('Encode', { text: 'blurry' }, 'Negative prompt'),
  '8': node('LoadImage', { image: 'cat.png', list: [1, 2, 3] }),
};

describe('the parameters of a workflow', () => {
  it('are its plain inputs, described by the workers', () => {
    const parameters = parametersOf(graph, { known });

    expect(parameters.map(({ name, type }) => [name, type])).toEqual([
      ['seed', 'integer'],
      ['cfg', 'number'],
      ['sampler_name', 'choice'],
      ['positive_prompt_text', 'string'],
      ['negative_prompt_text', 'string'],
      ['image', 'file'],
    ]);
    expect(parameters[0]).toEqual({
      name: 'seed',
      label: 'Seed',
      description: 'The noise.',
      type: 'integer',
      required: false,
      default: 5,
      minimum: 0,
      maximum: null,
      choices: null,
      multiline: false,
      hidden: false,
      pinned: false,
      sets: [{ node: '3', title: 'KSampler', input: 'seed' }],
      placeholder: null,
    });
    expect(parameters[1]).toMatchObject({ name: 'cfg', maximum: 100, step: 0.1 });
    expect(parameters[3]).toMatchObject({ label: 'Positive prompt: Prompt', multiline: true });
  });

  it('repeat a long title in short, with the input behind it and no half signs', () => {
    const [parameter] = parametersOf({ '1': node('Encode', { text: '' }, '😀'.repeat(5_000)) }, { known });
    const title = `${'😀'.repeat(50)}…`;
    expect(parameter).toMatchObject({ label: `${title}: Prompt`, sets: [{ title }] });
    const odd = parametersOf({ '1': node('Encode', { text: '' }, `x${'😀'.repeat(5_000)}`) }, { known });
    expect(odd[0]?.label).toMatch(/^x(?:😀){49}…: Prompt$/u);
  });

  it('follow from the values when no worker has told', () => {
    expect(parametersOf(graph, { known: new Map() }).map(({ type }) => type)).toEqual([
      'number',
      'number',
      'string',
      'string',
      'string',
      'file',
    ]);
  });

  it('follow the value when a worker disagrees with it', () => {
    const odd = { '1': node('KSampler', { seed: 'fixed', constructor: 1 }) };

    expect(parametersOf(odd, { known }).map(({ type }) => type)).toEqual(['string', 'number']);
  });

  it('are its placeholders if it has some, and the rest is hidden', () => {
    const asked = {
      '3': node('KSampler', { seed: '{{seed}}', cfg: 8 }),
      '6': node('Encode', { text: 'a {{thing}} in {{place}}' }),
      '7': node('Odd', { size: '{{size}}', also: '{{seed}}' }),
    };
    const parameters = parametersOf(asked, { known });

    expect(parameters.map(({ name, type, required, hidden }) => [name, type, required, hidden])).toEqual([
      ['seed', 'integer', true, false],
      ['thing', 'string', true, false],
      ['place', 'string', true, false],
      ['size', 'any', true, false],
      ['cfg', 'number', false, true],
    ]);
    expect(parameters[0]?.sets.map(({ node: id }) => id)).toEqual(['3', '7']);
  });

  it('have different names that are easy to type', () => {
    const names = parametersOf(
      {
        '1': node('A', { 'größe x': 1, text: 'a' }, '提示'),
        '2': node('A', { text: 'b' }, '词'),
        '3': node('A', { text: 'c' }, '词'),
      },
      { known },
    ).map(({ name }) => name);

    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
  });

  it('keep in a new graph the names and the looks that the user gave them', () => {
    const before = editParameters(parametersOf(graph, { known }), [
      { name: 'positive_prompt_text', rename: 'prompt', label: 'What to draw', description: 'In words.' },
      { name: 'cfg', hidden: true },
    ]);
    const changed = {
      ...graph,
      '6': node('Encode', { text: 'a ship' }, 'Positive prompt'),
      '9': node('Note', { prompt: 'new' }),
    };
    const after = parametersOf(changed, { known, previous: before });

    expect(after.find(({ label }) => label === 'What to draw')).toMatchObject({
      name: 'prompt',
      description: 'In words.',
      default: 'a ship',
    });
    expect(after.find(({ name }) => name === 'cfg')?.hidden).toBe(true);
    expect(after.at(-1)?.name).not.toBe('prompt');
    expect(new Set(after.map(({ name }) => name)).size).toBe(after.length);
  });

  it('keep their order and their pins in a new graph, where a new one stands behind its neighbour', () => {
    const before = editParameters(parametersOf(graph, { known }), [
      { name: 'image', pinned: true, position: 0 },
      { name: 'negative_prompt_text', position: 1 },
    ]);
    const { '3': sampler, '7': negative, ...others } = graph;
    const changed = {
      ...others,
      '3': node('KSampler', { ...sampler?.inputs, steps: 20 }),
      '7': node('Encode', { ...negative?.inputs, clip_skip: 2 }, 'Negative prompt'),
    };
    const after = parametersOf(changed, { known, previous: before });

    expect(after.map(({ name, pinned }) => (pinned ? `${name}!` : name))).toEqual([
      'image!',
      'negative_prompt_text',
      'clip_skip',
      'seed',
      'cfg',
      'sampler_name',
      'steps',
      'positive_prompt_text',
    ]);
  });
});

describe('edits of parameters', () => {
  const parameters = parametersOf(graph, { known });

  it.each([
    [[{ name: 'seeed', hidden: true }], 'There is no parameter "seeed". Did you mean "seed"?'],
    [[{ name: 'cfg', rename: 'seed' }], 'Two parameters would have the name "seed".'],
  ])('%j are refused', (edits, message) => {
    expect(faultsOf(() => editParameters(parameters, edits))[0]).toContain(message);
  });

  it('move parameters one after the other, and a place behind the last is the last', () => {
    const moved = editParameters(parameters, [
      { name: 'image', position: 0 },
      { name: 'seed', rename: 'noise', position: 999 },
      { name: 'cfg', position: 1 },
    ]);

    expect(moved.map(({ name }) => name)).toEqual([
      'image',
      'cfg',
      'sampler_name',
      'positive_prompt_text',
      'negative_prompt_text',
      'noise',
    ]);
    expect(parameters[0]?.name).toBe('seed');
  });

  it('may swap two names', () => {
    const swapped = editParameters(parameters, [
      { name: 'seed', rename: 'cfg' },
      { name: 'cfg', rename: 'seed' },
    ]);

    expect(swapped.slice(0, 2).map(({ name, label }) => [name, label])).toEqual([
      ['cfg', 'Seed'],
      ['seed', 'CFG'],
    ]);
  });
});

function node(class_type: string, inputs: Record<string, unknown>, title?: string): Graph[string] {
  return { class_type, inputs, ...(title && { _meta: { title } }) };
}

function faultsOf(act: () => WorkflowParameter[]): string[] {
  try {
    act();
  } catch (error) {
    return ((error as { faults?: { message: string }[] }).faults ?? []).map(({ message }) => message);
  }
  return [];
}
