import { describe, expect, it } from 'vitest';
import { type Circumstances, decide, type Finding, goalView } from './goal.ts';

const at = '2026-11-23T10:00:00.000Z';
const goal = {
  thread_id: 't',
  objective: 'Count to ten',
  continuation_count: 0,
  max_continuations: 2,
  no_progress_count: 0,
  last_evaluation: null,
  created_at: '2026-11-23T09:00:00.000Z',
  updated_at: '2026-11-23T09:00:00.000Z',
};
const calm: Circumstances = { isAfterContinuation: false, wasStoppedEarly: false, othersWait: false, at };

function found(
  changes: Partial<Finding['evaluation']> = {},
  { hasProgress = true }: { hasProgress?: boolean } = {},
): Finding {
  const evaluation = { satisfied: false, blocker: 'goal_not_met_yet' as const, reason: 'Five is next.' };
  return { evaluation: { ...evaluation, ...changes }, hasProgress };
}
const outcome = (...given: Parameters<typeof decide>) => {
  const { goal: next, goesOn } = decide(...given);
  const { stand_down_reason: reason = null } = (next && goalView(next).last_evaluation) ?? {};
  return { goesOn, reason };
};

describe('a goal', () => {
  it('is over when it is reached', () => {
    expect(decide(goal, found({ satisfied: true, blocker: 'none' }), calm)).toEqual({
      goal: null,
      goesOn: false,
    });
  });

  it('lets the agent go on, and counts that', () => {
    const { goal: next, goesOn } = decide(goal, found(), calm);
    expect(goesOn).toBe(true);
    expect(next && goalView(next)).toEqual({
      objective: 'Count to ten',
      status: 'active',
      created_at: goal.created_at,
      updated_at: at,
      continuation_count: 1,
      max_continuations: 2,
      no_progress_count: 0,
      max_no_progress_continuations: 2,
      last_evaluation: { satisfied: false, blocker: 'goal_not_met_yet', reason: 'Five is next.' },
    });
  });

  it.each(['needs_user_input', 'external_wait', 'run_failed'] as const)('stands down for %s', (blocker) => {
    expect(outcome(goal, found({ blocker }), calm)).toEqual({ goesOn: false, reason: blocker });
  });

  it('stands down for a reason that the evaluation gives, and after an early end', () => {
    const given = found({ stand_down_reason: 'no_model' });
    expect(outcome(goal, given, calm)).toEqual({ goesOn: false, reason: 'no_model' });
    const early = { ...calm, wasStoppedEarly: true };
    expect(outcome(goal, found(), early)).toEqual({ goesOn: false, reason: 'stopped_early' });
  });

  it('gives way to a run that waits', () => {
    const reason = 'another_run_waits';
    expect(outcome(goal, found(), { ...calm, othersWait: true })).toEqual({ goesOn: false, reason });
  });

  it('lets the agent go on at most so often', () => {
    const spent = { ...goal, continuation_count: 2 };
    expect(outcome(spent, found(), calm)).toEqual({ goesOn: false, reason: 'max_continuations' });
  });

  it('stands down after two continuations without progress, which a run of the user begins to count again', () => {
    const stuck = found({}, { hasProgress: false });
    const after = { ...calm, isAfterContinuation: true };
    const once = decide(goal, stuck, after);
    expect(once).toMatchObject({ goesOn: true, goal: { no_progress_count: 1 } });
    const second = { ...goal, no_progress_count: 1 };
    expect(outcome(second, stuck, after)).toEqual({ goesOn: false, reason: 'no_progress' });
    expect(decide(second, found(), after).goal).toMatchObject({ no_progress_count: 0 });
    expect(decide(second, stuck, calm)).toMatchObject({ goesOn: true, goal: { no_progress_count: 0 } });
  });
});
