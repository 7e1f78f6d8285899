import { describe, expect, it } from 'vitest';
import type { Graph } from '../graphs/graph.ts';
import { type KnownInputs, parametersOf } from './saved-workflow-parameters.ts';
import { schemaOf } from './saved-workflow-schema.ts';
import { taskParamsOf } from './saved-workflow-values.ts';

const known: KnownInputs = new Map([
  [
    'Sampler',
    {
      seed: { type: 'integer', minimum: 0 },
      steps: { type: 'integer', minimum: 1, maximum: 150 },
      sampler: { type: 'choice', choices: ['euler', 'ddim'] },
      model: { type: 'model', choices: ['a.safetensors'] },
      tiled: { type: 'boolean' },
      image: { type: 'file' },
    },
  ],
]);
const graph: Graph = {
  '3': {
    class_type: 'Sampler',
    inputs: {
      seed: '{{seed}}',
      steps: 20,
      sampler: 'euler',
      model: 'a.safetensors',
      tiled: false,
      image: 'x.png',
    },
  },
};
const parameters = parametersOf(graph, { known }).map((parameter) => ({
  ...parameter,
  hidden: parameter.name === 'tiled',
}));

describe('the values for a saved workflow', () => {
  it('become params of the inputs that they set', () => {
    const values = { seed: 7, steps: 30, sampler: 'ddim', model: 'new.safetensors', image: { $file: 'f1' } };

    expect(taskParamsOf(parameters, values)).toEqual({
      seed: 7,
      '3.steps': 30,
      '3.sampler': 'ddim',
      '3.model': 'new.safetensors',
      '3.image': { $file: 'f1' },
    });
  });

  it.each([
    [{}, 'seed', '"seed" has no value. Give it a value.'],
    [{ seed: 1.5 }, 'seed', '"seed" must be a whole number, got 1.5.'],
    [{ seed: -1 }, 'seed', '"seed" must be at least 0, got -1.'],
    [{ seed: 1, steps: 151 }, 'steps', '"steps" must be at most 150, got 151.'],
    [{ seed: 1, sampler: 'x' }, 'sampler', '"sampler" must be one of "euler", "ddim", got "x".'],
    [{ seed: 1, image: 5 }, 'image', '"image" must be a file, as { "$file": "<fileId>" }, got 5.'],
    [{ seed: 1, tiled: true }, 'tiled', '"tiled" is hidden and stays as it is.'],
    [{ seed: 1, stps: 5 }, 'stps', 'The workflow has no parameter "stps". Did you mean "steps"?'],
    [{ seed: ['3', 0] }, 'seed', '"seed" must be a whole number, got ["3",0].'],
  ])('%j are refused, naming %s', (values, name, message) => {
    let caught: unknown;
    try {
      taskParamsOf(parameters, values);
    } catch (error) {
      caught = error;
    }

    expect(caught).toMatchObject({ status: 422, faults: [{ in: 'body', path: ['params', name] }] });
    expect((caught as Error).message).toContain(message);
  });
});

describe('the schema of the values', () => {
  it('lists the visible parameters only', () => {
    expect(schemaOf(parameters)).toEqual({
      type: 'object',
      properties: {
        seed: { type: 'integer', minimum: 0, title: 'seed' },
        steps: { type: 'integer', minimum: 1, maximum: 150, default: 20, title: 'Steps' },
        sampler: { type: 'string', enum: ['euler', 'ddim'], default: 'euler', title: 'Sampler' },
        model: {
          type: 'string',
          default: 'a.safetensors',
          title: 'Model',
          description: 'Known: a.safetensors',
        },
        image: { anyOf: expect.any(Array), default: 'x.png', title: 'Picture' },
      },
      required: ['seed'],
      additionalProperties: false,
    });
  });
});
