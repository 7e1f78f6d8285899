import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import { editParameters, parametersOf } from './saved-workflow-parameters.ts';
import { schemaOf } from './saved-workflow-schema.ts';

it('has the pinned parameters first, their names, words and ranges, and no hidden one', () => {
  const inputs = { seed: 5, cfg: 8, steps: 20, text: 'a kite' };
  const taken = { cfg: { type: 'number' as const, minimum: 0, maximum: 100, step: 0.1 } };
  const parameters: WorkflowParameter[] = editParameters(
    parametersOf({ '1': { class_type: 'Sampler', inputs } }, { known: new Map([['Sampler', taken]]) }),
    [
      { name: 'cfg', rename: 'strength', label: 'Strength', description: 'How literal.', pinned: true },
      { name: 'text', pinned: true, position: 0 },
      { name: 'seed', hidden: true },
    ],
  );

  const { properties, required } = schemaOf(parameters);
  expect(Object.keys(properties as object)).toEqual(['text', 'strength', 'steps']);
  expect(properties).toMatchObject({
    strength: {
      type: 'number',
      title: 'Strength',
      description: 'How literal.',
      minimum: 0,
      maximum: 100,
      default: 8,
    },
  });
  expect(properties).toMatchObject({ text: { title: 'Prompt' }, steps: { title: 'Steps' } });
  expect(required).toEqual([]);
});
