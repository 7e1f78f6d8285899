import { expect, test } from 'vitest';
import { approvalsIn, otherQuestions, resumeOf } from './approval.ts';
import { clarificationIn } from './clarification.ts';

const asked = {
  id: 'i1',
  value: {
    action_requests: [{ name: 'run_workflow', args: { width: 512 }, description: 'It takes long.' }],
    review_configs: [{ action_name: 'run_workflow', allowed_decisions: ['approve', 'reject'] }],
  },
};

test('an approval shows the action, its arguments, the reason and what may be decided', () => {
  expect(approvalsIn([asked])).toEqual([
    {
      interruptId: 'i1',
      actions: [
        {
          name: 'run_workflow',
          args: { width: 512 },
          description: 'It takes long.',
          allowed: ['approve', 'reject'],
        },
      ],
    },
  ]);
  expect(approvalsIn([{ value: 'Which one?' }])).toEqual([]);
  expect(otherQuestions([asked, { value: 'Which one?' }])).toEqual([{ value: 'Which one?' }]);
});

test('the answer to one question is its decisions; to several, the decisions by the id of each', () => {
  const [one] = approvalsIn([asked]);
  if (!one) throw new Error('There is an approval.');
  expect(resumeOf([one], [[{ type: 'approve' }]])).toEqual({ decisions: [{ type: 'approve' }] });
  const edited = { type: 'edit', edited_action: { name: 'run_workflow', args: { width: 64 } } };
  expect(resumeOf([one], [[{ type: 'edit', args: { width: 64 } }]])).toEqual({ decisions: [edited] });
  const two = [one, { ...one, interruptId: 'i2' }];
  const answers = [[{ type: 'approve' }], [{ type: 'reject', message: 'Too dear.' }]] as const;
  expect(resumeOf(two, answers)).toEqual({
    i1: { decisions: [{ type: 'approve' }] },
    i2: { decisions: [{ type: 'reject', message: 'Too dear.' }] },
  });
});

test('a question of the agent has its options as buttons', () => {
  const args = { question: 'Which?', options: ['a', 7, 'b'] };
  expect(clarificationIn({ name: 'ask_clarification', args })).toEqual({
    question: 'Which?',
    context: null,
    options: ['a', 'b'],
  });
  expect(clarificationIn({ name: 'ask_clarification', args: {} })).toBeNull();
});
