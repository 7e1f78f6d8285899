import { describe, expect, it } from 'vitest';
import { readNodeInputs } from './node-inputs.ts';

describe('what the inputs of a node take', () => {
  it('is read from both forms in which workers write it', () => {
    const input = {
      required: {
        seed: ['INT', { min: 0, max: 18_446_744_073_709_552_000, tooltip: 'The noise.' }],
        steps: ['INT', { min: 1, max: 150, step: 0 }],
        cfg: ['FLOAT', { min: 0, max: 100.5, step: 0.1 }],
        text: ['STRING', { multiline: true }],
        sampler: [['euler', 'ddim'], {}],
        scheduler: ['COMBO', { options: ['normal', 'karras'] }],
        ckpt: [['a.safetensors', 'b.safetensors']],
        image: [['x.png'], { image_upload: true }],
        model: ['MODEL'],
      },
      optional: { tiled: ['BOOLEAN', { default: false }] },
      hidden: { prompt: 'PROMPT' },
    };

    expect(readNodeInputs([['Sampler', { input }]]).Sampler).toEqual({
      seed: { type: 'integer', minimum: 0, description: 'The noise.' },
      steps: { type: 'integer', minimum: 1, maximum: 150 },
      cfg: { type: 'number', minimum: 0, maximum: 100.5, step: 0.1 },
      text: { type: 'string', multiline: true },
      sampler: { type: 'choice', choices: ['euler', 'ddim'] },
      scheduler: { type: 'choice', choices: ['normal', 'karras'] },
      ckpt: { type: 'model', choices: ['a.safetensors', 'b.safetensors'] },
      image: { type: 'file' },
      tiled: { type: 'boolean' },
    });
  });

  it('refuses no value when the list of choices is incomplete', () => {
    const input = { required: { a: [[]], b: [['x', 1]], c: ['COMBO', { remote: {} }] } };

    expect(readNodeInputs([['Odd', { input }]]).Odd).toEqual({
      a: { type: 'string' },
      b: { type: 'string' },
      c: { type: 'string' },
    });
  });

  it('is nothing for an entry that cannot be read', () => {
    expect(
      readNodeInputs([
        ['Odd', { input: null }],
        ['Odder', { input: { required: [1] } }],
      ]),
    ).toEqual({});
  });
});
