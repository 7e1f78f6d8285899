import type { GoalEvaluation, GoalState } from '@switchyard/contract/conversation/goal';
import type { ThreadGoalRow } from '../tables.ts';

/** The result of looking at a goal after a run or a continuation. */
export interface Finding {
  evaluation: GoalEvaluation;
  /** True when the last work came nearer to the goal. */
  hasProgress: boolean;
}

export interface Circumstances {
  /** The work that was judged is a continuation, not what the user asked for. */
  isAfterContinuation: boolean;
  /** The agent was made to end early. */
  wasStoppedEarly: boolean;
  /** The user has asked for something else meanwhile. */
  othersWait: boolean;
  at: string;
}

/** The next step for a goal. Null stands for a goal that is reached. */
export interface Decision {
  goal: ThreadGoalRow | null;
  goesOn: boolean;
}

const maxNoProgress = 2;

export function goalView(row: ThreadGoalRow): GoalState {
  const { thread_id: _, last_evaluation: evaluation, ...goal } = row;
  return {
    ...goal,
    status: 'active',
    max_no_progress_continuations: maxNoProgress,
    last_evaluation: evaluation === null ? null : (JSON.parse(evaluation) as GoalEvaluation),
  };
}

/** The agent goes on while nothing speaks against it. Otherwise it stands down, and the goal stays until the next run. */
export function decide(
  goal: ThreadGoalRow,
  { evaluation, hasProgress }: Finding,
  circumstances: Circumstances,
): Decision {
  if (evaluation.satisfied) return { goal: null, goesOn: false };
  const { isAfterContinuation, at } = circumstances;
  // A request of the user is a new beginning.
  const noProgress = !isAfterContinuation || hasProgress ? 0 : goal.no_progress_count + 1;
  const judged = { ...goal, no_progress_count: noProgress, updated_at: at };
  const reason = evaluation.stand_down_reason ?? whyStandDown(judged, evaluation, circumstances);
  if (reason === null) {
    const continuation_count = goal.continuation_count + 1;
    const last_evaluation = JSON.stringify(evaluation);
    return { goal: { ...judged, continuation_count, last_evaluation }, goesOn: true };
  }
  const last_evaluation = JSON.stringify({ ...evaluation, stand_down_reason: reason });
  return { goal: { ...judged, last_evaluation }, goesOn: false };
}

function whyStandDown(
  { continuation_count, max_continuations, no_progress_count }: ThreadGoalRow,
  { blocker }: GoalEvaluation,
  { wasStoppedEarly, othersWait }: Circumstances,
): string | null {
  if (blocker === 'needs_user_input' || blocker === 'external_wait' || blocker === 'run_failed')
    return blocker;
  if (wasStoppedEarly) return 'stopped_early';
  if (othersWait) return 'another_run_waits';
  if (no_progress_count >= maxNoProgress) return 'no_progress';
  return continuation_count >= max_continuations ? 'max_continuations' : null;
}
