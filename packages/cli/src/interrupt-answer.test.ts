import { describe, expect, it } from 'vitest';
import { answerTo, questionOf } from './interrupt-answer.ts';

const approval = {
  id: 'i1',
  value: {
    action_requests: [
      { name: 'delete_file', args: { path: 'a.txt' }, description: 'Delete a.txt?' },
      { name: 'send', args: { to: 'b' } },
    ],
    review_configs: [],
  },
};

describe('the question of an agent that waits', () => {
  it('is shown in its own words, or as JSON', () => {
    expect(questionOf([{ value: 'Which colour?' }, { value: { choose: [1, 2] } }])).toBe(
      'Which colour?\n{"choose":[1,2]}',
    );
  });

  it('is a list of actions when some wait for approval', () => {
    expect(questionOf([approval])).toBe(
      'Delete a.txt?\nsend {"to":"b"}\nAnswer "approve", or "reject" and why.',
    );
  });

  it('is answered with a text, or with JSON', () => {
    expect(answerTo([{ value: 'Which colour?' }], 'dark blue')).toBe('dark blue');
    expect(answerTo([{ value: 'How many?' }], '{"count":2}')).toEqual({ count: 2 });
    expect(answerTo([{ value: 'Fine?' }], 'approve')).toBe('approve');
  });

  it('is answered with a decision for each action that waits for approval', () => {
    expect(answerTo([approval], 'Approve')).toEqual({
      decisions: [{ type: 'approve' }, { type: 'approve' }],
    });
    const rejected = { type: 'reject', message: 'not this one' };
    expect(answerTo([approval], 'reject not this one')).toEqual({ decisions: [rejected, rejected] });
    expect(answerTo([approval], '{"decisions":[]}')).toEqual({ decisions: [] });
  });
});
