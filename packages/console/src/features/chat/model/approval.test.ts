import { expect, test } from 'vitest';
import { actionsIn, decisionsOf, questionKey, resumeOf } from './approval.ts';
import { clarificationIn } from './clarification.ts';

const asked = {
  id: 'i1',
  value: {
    action_requests: [{ name: 'run_workflow', args: { width: 512 }, description: 'It takes long.' }],
    review_configs: [{ action_name: 'run_workflow', allowed_decisions: ['approve', 'reject'] }],
  },
};

test('an approval shows the action, its arguments, the reason and what may be decided', () => {
  expect(actionsIn(asked.value)).toEqual([
    {
      name: 'run_workflow',
      args: { width: 512 },
      description: 'It takes long.',
      allowed: ['approve', 'reject'],
    },
  ]);
  expect(actionsIn('Which one?')).toEqual([]);
  expect(actionsIn({ question: 'Which one?' })).toEqual([]);
});

test('the answer to an approval is a decision on each action', () => {
  const actions = actionsIn(asked.value);
  expect(decisionsOf(actions, [{ type: 'approve' }])).toEqual({ decisions: [{ type: 'approve' }] });
  const edited = { type: 'edit', edited_action: { name: 'run_workflow', args: { width: 64 } } };
  expect(decisionsOf(actions, [{ type: 'edit', args: { width: 64 } }])).toEqual({ decisions: [edited] });
  const rejected = { type: 'reject', message: 'Too dear.' };
  expect(decisionsOf(actions, [{ type: 'reject', message: 'Too dear.' }])).toEqual({ decisions: [rejected] });
});

test('one question is answered with its answer, several of any form by the id of each', () => {
  const other = { id: 'i2', value: 'Which one?' };
  expect(resumeOf([other], new Map([[questionKey(other, 0), 'the first']]))).toBe('the first');
  const answers = new Map<string, unknown>([
    [questionKey(other, 1), { name: 'tea' }],
    [questionKey(asked, 0), { decisions: [] }],
  ]);
  const all = { i1: { decisions: [] }, i2: { name: 'tea' } };
  expect(resumeOf([asked, other], answers)).toEqual(all);
  expect(resumeOf([other, asked], answers)).toEqual(all);
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
