import { type NewSweep, type SweepAxisInput, sweepLimits } from '@switchyard/contract/dispatch/sweep';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import type { Fault } from '@switchyard/contract/errors';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { whyWrong } from '../workflows/saved-workflow-values.ts';
import { picksOf, pickWildcards, readWildcards, WildcardFault } from './wildcards.ts';

export interface SweepAxis {
  param: string;
  label: string;
  values: unknown[];
}

type Values = Record<string, unknown>;
type Parameters = ReadonlyMap<string, WorkflowParameter>;
type Path = Fault['path'];
type Read = (axis: SweepAxisInput, parameter: WorkflowParameter) => Reading | Sentence[];

/** The number of values is known before they are made. */
interface Reading {
  count: number;
  values: (random: () => number) => unknown[];
}

/** Seeds stay short enough to be read. */
const seedSpan = 2 ** 32;

/** The axes with their values one by one. Throws with all faults, and when they make too many runs. */
export function readAxes(
  { axes }: Pick<NewSweep, 'axes'>,
  parameters: readonly WorkflowParameter[],
  random: () => number = Math.random,
): SweepAxis[] {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const faults: Fault[] = [];
  const readings = axes.map((axis, index) => {
    const path = ['axes', index];
    const parameter = byName.get(axis.param);
    const isTwice = axes.findIndex(({ param }) => param === axis.param) < index;
    const reading = isTwice
      ? say('sweep_axis_twice', { name: axis.param })
      : readingOf(axis, parameter, byName);
    if (parameter && !Array.isArray(reading)) return { index, parameter, reading };
    if (Array.isArray(reading)) faults.push(faultAt(path, reading));
    return null;
  });
  const read = readings.filter((each) => each !== null);
  requireRuns(read.map(({ reading }) => reading.count));
  const expanded = read.map(({ index, parameter, reading }) => {
    const values = reading.values(random);
    values.forEach((value, at) => {
      const problem = whyWrong(parameter, value);
      if (problem !== null) faults.push(faultAt(['axes', index, 'values', at], problem));
    });
    return { param: parameter.name, label: parameter.label, values };
  });
  refuse(faults);
  return expanded;
}

function runsOf(axes: readonly { values: readonly unknown[] }[]): number {
  return axes.reduce((product, { values }) => product * values.length, 1);
}

/** The place of a cell on each axis; the first axis counts fastest. */
export function placeOfCell(cell: number, counts: readonly number[]): number[] {
  let rest = cell;
  return counts.map((count) => {
    const at = rest % count;
    rest = Math.floor(rest / count);
    return at;
  });
}

/** What each run has of its own: its values of the axes, and the wildcards that it has picked. */
export function cellValues(
  {
    params,
    axes,
    wildcards,
    seed,
  }: { params: Values; axes: readonly SweepAxis[]; wildcards: string[]; seed: number },
  parameters: readonly WorkflowParameter[],
): Values[] {
  const counts = axes.map(({ values }) => values.length);
  const textOf = wildcardTexts({ params, axes, wildcards }, parameters);
  let bytes = 0;
  const commonBytes = byteLength(params);
  return Array.from({ length: runsOf(axes) }, (_, cell) => {
    const at = placeOfCell(cell, counts);
    const values = Object.fromEntries(axes.map((axis, index) => [axis.param, axis.values[at[index] ?? 0]]));
    for (const name of wildcards)
      values[name] = pickWildcards(textOf(name, values), picksOf(seed, cell, name));
    bytes += commonBytes + byteLength(values);
    if (bytes > sweepLimits.valueBytes) {
      const message = say('sweep_values_too_large', { total: runsOf(axes), max: sweepLimits.valueBytes });
      throw tooLarge(message);
    }
    return values;
  });
}

/** Reads each text with wildcards once. Throws when one cannot be read. */
function wildcardTexts(
  { params, axes, wildcards }: { params: Values; axes: readonly SweepAxis[]; wildcards: string[] },
  parameters: readonly WorkflowParameter[],
) {
  const faults: Fault[] = [];
  const common: Values = Object.fromEntries(parameters.map(({ name, default: value }) => [name, value]));
  const known = new Map<string, ReturnType<typeof readWildcards>>();
  for (const [index, name] of wildcards.entries()) {
    const parameter = parameters.find((each) => each.name === name);
    const onAxis = axes.find(({ param }) => param === name)?.values;
    const given = onAxis ?? [Object.hasOwn(params, name) ? params[name] : common[name]];
    const isText = parameter !== undefined && ['string', 'any'].includes(parameter.type) && !parameter.hidden;
    const problems = given.map((text) =>
      isText && typeof text === 'string' ? keep(known, { name, text }) : say('wildcard_no_text', { name }),
    );
    const problem = problems.find((each) => each !== null);
    if (problem) faults.push(faultAt(['wildcards', index], problem));
  }
  refuse(faults);
  return (name: string, values: Values) => {
    const text = Object.hasOwn(values, name)
      ? values[name]
      : Object.hasOwn(params, name)
        ? params[name]
        : common[name];
    return known.get(String(text)) ?? [];
  };
}

function keep(
  known: Map<string, ReturnType<typeof readWildcards>>,
  { name, text }: { name: string; text: string },
): Wording | null {
  try {
    if (!known.has(text)) known.set(text, readWildcards(text));
    return null;
  } catch (error) {
    if (error instanceof WildcardFault) return error.reasonFor(name);
    throw error;
  }
}

function readingOf(
  axis: SweepAxisInput,
  parameter: WorkflowParameter | undefined,
  all: Parameters,
): Reading | Sentence[] {
  if (!parameter) {
    const names = [...all.values()].filter(({ hidden }) => !hidden).map(({ name }) => name);
    return say('sweep_axis_unknown', { name: axis.param, names: names.slice(0, 20).join(', ') });
  }
  const given = kinds.filter(([kind]) => axis[kind] !== undefined);
  const [only] = given;
  if (only === undefined || given.length > 1) return say('sweep_axis_one', { name: axis.param });
  return only[1](axis, parameter);
}

const kinds: readonly (readonly ['values' | 'range' | 'lines' | 'seeds', Read])[] = [
  ['values', ({ values = [] }) => ({ count: values.length, values: () => values })],
  ['range', readRange],
  ['lines', readLines],
  ['seeds', readSeeds],
];

function readRange({ range }: SweepAxisInput, { name, type }: WorkflowParameter): Reading | Sentence[] {
  if (!range || !isNumeric(type)) return say('sweep_range_no_number', { name });
  const { from, to, step } = range;
  // A step that fits the range but for the rounding of fractions reaches its end.
  const count = Math.floor(Math.abs(to - from) / step + 1e-9) + 1;
  const sign = to < from ? -1 : 1;
  const values = () =>
    Array.from({ length: count }, (_, index) => Number((from + sign * index * step).toPrecision(12)));
  return { count, values };
}

function isNumeric(type: WorkflowParameter['type']): boolean {
  return type === 'integer' || type === 'number' || type === 'any';
}

function readLines({ lines = '' }: SweepAxisInput, { name }: WorkflowParameter): Reading | Sentence[] {
  const values = lines
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return values.length === 0
    ? say('sweep_lines_empty', { name })
    : { count: values.length, values: () => values };
}

function readSeeds({ seeds = 0 }: SweepAxisInput, parameter: WorkflowParameter): Reading | Sentence[] {
  const { name, type, minimum, maximum } = parameter;
  // Without a report of a worker, a seed is a number like others.
  if (!isNumeric(type)) return say('sweep_seeds_no_number', { name });
  const from = Math.max(0, minimum ?? 0);
  const span = Math.min(seedSpan, (maximum ?? Number.MAX_SAFE_INTEGER) - from + 1);
  if (span < seeds) return say('sweep_seeds_few', { name, count: Math.max(span, 0) });
  const values = (random: () => number) => {
    const found = new Set<number>();
    while (found.size < seeds) found.add(from + Math.floor(random() * span));
    return [...found];
  };
  return { count: seeds, values };
}

function requireRuns(counts: readonly number[]): void {
  const total = counts.reduce((product, count) => product * count, 1);
  if (total <= sweepLimits.runs) return;
  // A step may be so small that the number has no name.
  const named = Math.min(total, Number.MAX_SAFE_INTEGER);
  throw tooLarge(say('sweep_too_many_runs', { total: named, max: sweepLimits.runs }));
}

function tooLarge(message: Wording): AppError {
  return new AppError('sweep_too_large', { message, faults: [faultAt(['axes'], message)] });
}

/** So many faults show what is wrong. */
const maxFaults = 50;

function refuse(faults: readonly Fault[]): void {
  const [first] = faults;
  if (!first) return;
  throw new AppError('invalid_param', { message: first.message, faults: faults.slice(0, maxFaults) });
}

function faultAt(path: Path, message: Wording): Fault {
  return { in: 'body', path, message, type: 'invalid_param' };
}

function byteLength(values: Values): number {
  return Buffer.byteLength(JSON.stringify(values));
}
