import { describe, expect, it } from 'vitest';
import { controlOf, sliderOf } from './field-control.ts';
import { draftOf } from './field-draft.ts';
import { filesNotChosen, paramsOf } from './field-params.ts';
import type { FieldSpec } from './field-spec.ts';
import { seedAfterRuns, seedOfRun } from './seed.ts';

const fields = [
  field('prompt', { default: 'a kite', multiline: true }),
  field('steps', { type: 'integer', default: 20, minimum: 1, maximum: 150 }),
  field('cfg', { type: 'number', default: 7.5, minimum: 0, maximum: 30, step: 0.5 }),
  field('seed', { type: 'integer', default: 5, minimum: 0 }),
  field('sampler', { type: 'choice', default: 'euler', choices: ['euler', 'ddim'] }),
  field('tiled', { type: 'boolean', default: false }),
  field('image', { type: 'file', default: 'cat.png' }),
  field('thing', { type: 'any', default: null, required: true }),
  field('internal', { default: 'x', hidden: true }),
];

it('a file input with the name from the graph has no file, until one is chosen', () => {
  const draft = draftOf(fields);
  expect(filesNotChosen(fields, draft).map(({ parameter, file }) => [parameter.name, file])).toEqual([
    ['image', 'cat.png'],
  ]);
  const chosen = { ...draft.values, image: { fileId: 'f1', filename: 'dog.png' } };
  expect(filesNotChosen(fields, { ...draft, values: chosen })).toEqual([]);
});

describe('the control of a field', () => {
  it('follows from the type, and is a slider for up to a thousand steps', () => {
    expect(fields.map(controlOf)).toEqual([
      'long-text',
      'slider',
      'slider',
      'seed',
      'select',
      'switch',
      'file',
      'any',
      'text',
    ]);
    expect(controlOf(field('w', { type: 'integer', minimum: 0, maximum: 8192 }))).toBe('number');
    expect(controlOf(field('w', { type: 'integer', minimum: 0, maximum: 8192, step: 64 }))).toBe('slider');
    expect(controlOf(field('x', { type: 'number', minimum: 0, maximum: 1 }))).toBe('number');
    const steps = field('steps', { type: 'integer', default: 20, minimum: 1, maximum: 10_000 });
    expect(sliderOf(steps)).toEqual({ minimum: 1, maximum: 77, step: 1 });
    expect(sliderOf({ ...steps, default: 5_000 })).toEqual({ minimum: 1, maximum: 1_001, step: 1 });
    expect(
      sliderOf(field('cfg', { type: 'number', default: 8, minimum: 0, maximum: 100, step: 0.1 })),
    ).toEqual({
      minimum: 0,
      maximum: 100,
      step: 0.1,
    });
    expect(controlOf(field('text', { default: 'a kite' }))).toBe('long-text');
    expect(controlOf(field('m', { type: 'model', choices: [] }))).toBe('text');
    expect(controlOf(field('m', { type: 'model', choices: ['a.safetensors'] }))).toBe('select');
  });
});

describe('the values of a form', () => {
  it('begin as in the graph and send only what was changed, and what is required', () => {
    const draft = draftOf(fields);
    draft.values.thing = '7';
    expect(paramsOf(fields, draft)).toEqual({ params: { thing: 7 }, problems: new Map() });
    Object.assign(draft.values, {
      prompt: 'a ship',
      tiled: true,
      steps: '30',
      image: { fileId: 'f1', filename: 'a' },
    });
    expect(paramsOf(fields, draft).params).toEqual({
      prompt: 'a ship',
      tiled: true,
      steps: 30,
      image: { $file: 'f1' },
      thing: 7,
    });
  });

  it('are left out while they are empty and optional, and can be any JSON', () => {
    const free = [
      field('topic', { default: null, optional: true }),
      field('count', { type: 'integer', default: null, optional: true }),
      field('list', { type: 'json', default: null, optional: true }),
    ];
    const draft = draftOf(free);
    expect(paramsOf(free, draft)).toEqual({ params: {}, problems: new Map() });
    Object.assign(draft.values, { topic: 'tea', count: '2', list: '[1, {"a": null}]' });
    expect(paramsOf(free, draft).params).toEqual({ topic: 'tea', count: 2, list: [1, { a: null }] });
    draft.values.list = '[1,';
    expect(paramsOf(free, draft).problems).toEqual(new Map([['list', { code: 'not_json' }]]));
  });

  it('say at each field what is wrong', () => {
    const draft = draftOf(fields);
    Object.assign(draft.values, { steps: '0', cfg: '31', seed: '1.5', sampler: 'dpm', image: ' ' });
    expect(Object.fromEntries(paramsOf(fields, draft).problems)).toEqual({
      steps: { code: 'too_low', minimum: 1 },
      cfg: { code: 'too_high', maximum: 30 },
      seed: { code: 'not_whole' },
      sampler: { code: 'not_a_choice' },
      image: { code: 'required' },
      thing: { code: 'required' },
    });
    draft.values.steps = 'many';
    expect(paramsOf(fields, draft).problems.get('steps')).toEqual({ code: 'not_a_number' });
  });

  it('take those of the last time, unless the field has another type or other choices now', () => {
    const last = {
      values: {
        prompt: 'a ship',
        tiled: 'yes',
        sampler: 'gone',
        image: { fileId: 'f1', filename: 'cat.png' },
        old: 'x',
      },
      seeds: { seed: 'random' as const },
    };
    const draft = draftOf(fields, last);
    expect(draft.values).toMatchObject({
      prompt: 'a ship',
      tiled: false,
      sampler: 'euler',
      image: { fileId: 'f1', filename: 'cat.png' },
    });
    expect(draft.values).not.toHaveProperty('old');
    expect(draft.values).not.toHaveProperty('internal');
    expect(draft.seeds).toEqual({ seed: 'random' });
  });
});

describe('the seeds of several runs', () => {
  const range = { minimum: 0, maximum: 99 };

  it('stay, count up or are drawn', () => {
    const runs = (mode: 'fixed' | 'random' | 'increment', random?: () => number) =>
      [0, 1, 2].map((index) => seedOfRun({ value: 98, mode, index }, range, random));
    expect(runs('fixed')).toEqual([98, 98, 98]);
    expect(runs('increment')).toEqual([98, 99, 0]);
    expect(runs('random', () => 0.5)).toEqual([50, 50, 50]);
    expect(runs('random', () => 0.999999)).toEqual([99, 99, 99]);
  });

  it('leave the next one in the field, or the last one that was drawn', () => {
    expect(seedAfterRuns({ value: 5, mode: 'fixed', last: 5, runs: 3 }, range)).toBe(5);
    expect(seedAfterRuns({ value: 5, mode: 'increment', last: 7, runs: 3 }, range)).toBe(8);
    expect(seedAfterRuns({ value: 5, mode: 'random', last: 42, runs: 3 }, range)).toBe(42);
  });

  it('stay whole numbers that JSON keeps when a worker allows larger ones', () => {
    const drawn = seedOfRun(
      { value: 0, mode: 'random', index: 0 },
      { minimum: 0, maximum: 2 ** 64 },
      () => 0.9999999,
    );
    expect(Number.isSafeInteger(drawn)).toBe(true);
  });
});

function field(name: string, more: Partial<FieldSpec>): FieldSpec {
  return {
    name,
    label: name,
    description: null,
    type: 'string',
    required: false,
    default: '',
    minimum: null,
    maximum: null,
    choices: null,
    multiline: false,
    hidden: false,
    sets: [{ node: '1', title: 'Node', input: name }],
    ...more,
  };
}
