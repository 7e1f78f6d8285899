import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import { problemsOfFaults } from './server-faults.ts';

it('shows the faults of a refused run at their fields, also those that name an input of the graph', () => {
  const faults = [
    { path: 'body.params.steps', message: 'at most 150' },
    { path: 'body.params.1.prompt', message: 'too long' },
    { path: 'body.priority', message: 'a whole number' },
  ];
  const { problems, others } = problemsOfFaults(faults, ['prompt', 'steps'].map(field));
  expect(Object.fromEntries(problems)).toEqual({
    steps: { code: 'refused', message: 'at most 150' },
    prompt: { code: 'refused', message: 'too long' },
  });
  expect(others).toEqual(['a whole number']);
});

function field(name: string): WorkflowParameter {
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
    pinned: false,
    sets: [{ node: '1', title: 'Node', input: name }],
    placeholder: null,
  };
}
