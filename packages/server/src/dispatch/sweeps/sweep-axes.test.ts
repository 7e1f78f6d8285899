import { type NewSweep, sweepLimits } from '@switchyard/contract/dispatch/sweep';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import { cellValues, placeOfCell, readAxes } from './sweep-axes.ts';

function parameter(name: string, more: Partial<WorkflowParameter>): WorkflowParameter {
  return {
    name,
    label: `The ${name}`,
    description: null,
    type: 'string',
    required: false,
    default: '',
    minimum: null,
    maximum: null,
    choices: null,
    multiline: false,
    hidden: false,
    pinned: false,
    sets: [{ node: '1', title: 'Node', input: name }],
    placeholder: null,
    ...more,
  };
}

const parameters = [
  parameter('prompt', { default: 'a {red|blue} kite' }),
  parameter('steps', { type: 'integer', minimum: 1, maximum: 50, default: 20 }),
  parameter('cfg', { type: 'number', minimum: 0, maximum: 30, default: 7 }),
  parameter('seed', { type: 'integer', minimum: 0, default: 5 }),
  parameter('sampler', { type: 'choice', choices: ['euler', 'heun'], default: 'euler' }),
  parameter('fixed', { hidden: true }),
];
type Axis = NewSweep['axes'][number];
const valuesOf = (axis: Axis) => readAxes({ axes: [axis] }, parameters)[0]?.values;

describe('an axis', () => {
  it.each<[string, Axis, unknown[]]>([
    ['values', { param: 'sampler', values: ['heun', 'euler'] }, ['heun', 'euler']],
    ['a range', { param: 'steps', range: { from: 10, to: 30, step: 10 } }, [10, 20, 30]],
    [
      'a range of fractions',
      { param: 'cfg', range: { from: 0.1, to: 0.5, step: 0.1 } },
      [0.1, 0.2, 0.3, 0.4, 0.5],
    ],
    [
      'a range that counts down and ends before its end',
      { param: 'steps', range: { from: 9, to: 2, step: 4 } },
      [9, 5],
    ],
    ['a range of one', { param: 'cfg', range: { from: 3, to: 3, step: 1 } }, [3]],
    ['lines', { param: 'prompt', lines: ' a kite \r\n\n\tb\rc' }, ['a kite', 'b', 'c']],
  ])('has %s', (_name, axis, values) => {
    expect(valuesOf(axis)).toEqual(values);
    expect(readAxes({ axes: [axis] }, parameters)[0]?.label).toBe(`The ${axis.param}`);
  });

  it('has as many different seeds as were asked for, within the range of the parameter', () => {
    const random = [0.5, 0.5, 0.25, 0.999999999999];
    const [axis] = readAxes({ axes: [{ param: 'seed', seeds: 3 }] }, parameters, () => random.shift() ?? 0);
    expect(axis?.values).toEqual([2 ** 31, 2 ** 30, 2 ** 32 - 1]);
    expect(new Set(valuesOf({ param: 'steps', seeds: 50 })).size).toBe(50);
  });

  it.each<[Axis, string]>([
    [{ param: 'step', values: [1] }, 'no parameter "step"'],
    [{ param: 'fixed', values: ['a'] }, 'hidden'],
    [{ param: 'steps' }, 'one of values, range, lines and seeds'],
    [{ param: 'steps', values: [1], seeds: 2 }, 'one of values, range, lines and seeds'],
    [{ param: 'steps', values: [1, 51, 'x'] }, 'at most 50, got 51'],
    [{ param: 'steps', range: { from: 1, to: 60, step: 25 } }, 'at most 50, got 51'],
    [{ param: 'steps', range: { from: 1, to: 2, step: 0.5 } }, 'whole number, got 1.5'],
    [{ param: 'sampler', range: { from: 1, to: 2, step: 1 } }, 'takes no numbers'],
    [{ param: 'sampler', seeds: 2 }, 'has no seeds'],
    [{ param: 'steps', seeds: 51 }, 'only 50 different'],
    [{ param: 'prompt', lines: ' \n ' }, 'No line'],
  ])('%j is refused with a reason', (axis, reason) => {
    expect(() => valuesOf(axis)).toThrow(reason);
  });

  it('refuses a million runs without making one, with the bound', () => {
    const many = { from: 0, to: 30, step: 0.0000001 };
    const axes = [
      { param: 'cfg', range: many },
      { param: 'seed', seeds: 2_000_000_000 },
    ];
    expect(() => readAxes({ axes }, parameters)).toThrow(`a sweep makes at most ${sweepLimits.runs}`);
    expect(() => readAxes({ axes: [{ param: 'seed', seeds: sweepLimits.runs }] }, parameters)).not.toThrow();
  });

  it('names all faults, and two axes of one parameter', () => {
    const axes = [
      { param: 'steps', values: [0, 99] },
      { param: 'steps', values: [1] },
      { param: 'nothing', values: [1] },
    ];
    const error = thrown(() => readAxes({ axes }, parameters));
    expect(error.faults?.map(({ path }) => path.join('.'))).toEqual([
      'axes.1',
      'axes.2',
      'axes.0.values.0',
      'axes.0.values.1',
    ]);
  });
});

describe('the cells of a sweep', () => {
  const sweep = (axes: Axis[], more: { wildcards?: string[]; params?: Record<string, unknown> } = {}) =>
    cellValues(
      { params: {}, wildcards: [], seed: 7, ...more, axes: readAxes({ axes }, parameters) },
      parameters,
    );
  const steps = { param: 'steps', values: [10, 20, 30] };

  it('are the combinations of the axes, the first of them fastest', () => {
    const cells = sweep([steps, { param: 'sampler', values: ['euler', 'heun'] }]);
    expect(cells.map((cell) => `${cell.steps} ${cell.sampler}`)).toEqual([
      '10 euler',
      '20 euler',
      '30 euler',
      '10 heun',
      '20 heun',
      '30 heun',
    ]);
    expect(placeOfCell(4, [3, 2])).toEqual([1, 1]);
  });

  it('pick wildcards each for itself, from the axis, the params or the workflow, and keep what they picked', () => {
    const many = { param: 'seed', seeds: 40 };
    const ofWorkflow = sweep([many], { wildcards: ['prompt'] }).map(({ prompt }) => prompt);
    expect(new Set(ofWorkflow)).toEqual(new Set(['a red kite', 'a blue kite']));
    expect(sweep([many], { wildcards: ['prompt'] }).map(({ prompt }) => prompt)).toEqual(ofWorkflow);
    const given = sweep([steps], { wildcards: ['prompt'], params: { prompt: '\\{x\\} {a}' } });
    expect(given.map(({ prompt }) => prompt)).toEqual(['{x} a', '{x} a', '{x} a']);
    const lines = sweep([{ param: 'prompt', lines: '{a}1\n{b}2' }], { wildcards: ['prompt'] });
    expect(lines.map(({ prompt }) => prompt)).toEqual(['a1', 'b2']);
    expect(sweep([{ param: 'prompt', values: ['{a|b}'] }])).toEqual([{ prompt: '{a|b}' }]);
  });

  it.each([
    ['steps', {}, 'has no text'],
    ['fixed', {}, 'has no text'],
    ['nothing', {}, 'has no text'],
    ['prompt', { prompt: 'a {b' }, 'is not closed'],
  ])('refuse wildcards of %s with %j', (name, params, reason) => {
    const error = thrown(() => sweep([{ param: 'cfg', values: [1] }], { wildcards: [name], params }));
    expect(error.message).toContain(reason);
    expect(error.faults?.[0]?.path).toEqual(['wildcards', 0]);
  });

  it('refuse texts that take too much in all runs together', () => {
    const params = { prompt: 'x'.repeat(1_000_000) };
    expect(() => sweep([{ param: 'seed', seeds: 31 }], { params })).not.toThrow();
    expect(thrown(() => sweep([{ param: 'seed', seeds: 40 }], { params })).code).toBe('sweep_too_large');
  });
});

function thrown(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}
