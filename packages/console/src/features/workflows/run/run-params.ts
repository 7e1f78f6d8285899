import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { controlOf } from '../../../kit/fields/field-control.ts';
import type { FormDraft } from '../../../kit/fields/field-draft.ts';
import { type SeedMode, seedOfRun } from '../../../kit/fields/seed.ts';

export interface RunSeed {
  parameter: WorkflowParameter;
  value: number;
  mode: SeedMode;
}

/** The seeds of a form, with what each run does to them. */
export function seedsOf(parameters: readonly WorkflowParameter[], { values, seeds }: FormDraft): RunSeed[] {
  return parameters
    .filter((parameter) => !parameter.hidden && controlOf(parameter) === 'seed')
    .map((parameter) => ({
      parameter,
      value: Number(values[parameter.name] ?? 0),
      mode: seeds[parameter.name] ?? 'fixed',
    }));
}

/** The params of one run among several. `last` takes the seeds that it was given. */
export function paramsOfRun(
  params: Readonly<Record<string, unknown>>,
  seeds: readonly RunSeed[],
  { index, last, random }: { index: number; last: Record<string, number>; random?: () => number },
): Record<string, unknown> {
  const ofRun: Record<string, unknown> = { ...params };
  for (const { parameter, value, mode } of seeds) {
    if (mode === 'fixed') continue;
    const seed = seedOfRun({ value, mode, index }, parameter, random);
    last[parameter.name] = seed;
    ofRun[parameter.name] = seed;
  }
  return ofRun;
}

/** Several runs with one seed make the same picture several times. */
export function areRunsEqual(seeds: readonly RunSeed[], count: number): boolean {
  return count > 1 && seeds.every(({ mode }) => mode === 'fixed');
}
