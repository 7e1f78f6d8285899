import type {
  SavedWorkflowOrder,
  WorkflowApprovals,
  WorkflowOrder,
} from '../agents/tools/workflow-runner.ts';
import type { Tasks } from '../dispatch/intake/tasks.ts';
import type { CallCost, TaskCosts } from '../dispatch/tasks/task-costs.ts';
import type { SavedWorkflows } from '../dispatch/workflows/saved-workflows.ts';
import { type WorkerPrice, workerCost } from '../lib/worker-price.ts';

export type RunBudget =
  | { kind: 'time'; maxSeconds: number }
  /** Without a price it is unknown whether a call fits. */
  | { kind: 'cost'; max: number; pricePerHour: number | null };

export interface ApprovalPolicy {
  /** When a human is asked before a workflow of an agent is submitted. */
  approval: 'always' | 'over_budget';
  /** The time or the cost that the tasks of one run may have together before `over_budget` asks. */
  budget: RunBudget;
}

/** Maximum number of runs whose calls are remembered. The oldest are forgotten first; they have ended. */
const maxRuns = 1_000;

/** Decides by the configuration which workflows of an agent a human has to approve. */
export class WorkflowBudget implements WorkflowApprovals {
  readonly #options;
  /** The estimates of approved calls, by run and call. Calls of one turn arrive together, before any has its task. */
  readonly #reserved = new Map<string, Map<string, number>>();

  constructor(options: {
    policy: ApprovalPolicy;
    /** Null when workers have no price. */
    price: WorkerPrice | null;
    tasks: Pick<Tasks, 'hasSubmitted'>;
    savedWorkflows: Pick<SavedWorkflows, 'taskOf'>;
    costs: Pick<TaskCosts, 'estimateSeconds' | 'ofRun'>;
  }) {
    this.#options = options;
  }

  async question(order: WorkflowOrder | SavedWorkflowOrder): Promise<string | null> {
    const { policy, price, tasks, savedWorkflows, costs } = this.#options;
    const { userId, runId, idempotencyKey } = order;
    // The call was approved before the process died.
    if (await tasks.hasSubmitted(userId, idempotencyKey)) return null;
    const filled = { ...order, params: await order.paramsToSubmit() };
    const input = 'workflowId' in filled ? await savedWorkflows.taskOf(userId, filled) : filled;
    const estimate = await costs.estimateSeconds(userId, input);
    const told =
      estimate === null
        ? 'How long it will take is not known: no workflow of this shape has run yet.'
        : `It will take about ${rounded(estimate)} s${costText(price, estimate)}.`;
    if (policy.approval === 'always') return `A workflow wants to run on the pool. ${told}`;
    const ofRun = await costs.ofRun(userId, runId);
    // Nothing is awaited from here on, so that calls that arrive together see each other.
    const spent = this.#spent(runId, ofRun);
    const seconds = secondsIn(policy.budget);
    if (estimate === null || seconds === null || spent + estimate > seconds) {
      return `A workflow may go beyond the budget of this run: ${usedOf(policy.budget, spent)}. ${told}`;
    }
    this.#reserve(order, estimate);
    return null;
  }

  /** A finished task counts by its actual time, a running one at least by its estimate. */
  #spent(runId: string, ofRun: readonly CallCost[]): number {
    const byCall = new Map(this.#reserved.get(runId));
    for (const { toolCallId, seconds, hasEnded } of ofRun) {
      byCall.set(toolCallId, hasEnded ? seconds : Math.max(seconds, byCall.get(toolCallId) ?? 0));
    }
    return [...byCall.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  #reserve({ runId, toolCallId }: WorkflowOrder | SavedWorkflowOrder, seconds: number): void {
    const calls = this.#reserved.get(runId) ?? new Map<string, number>();
    this.#reserved.set(runId, calls.set(toolCallId, seconds));
    const [oldest] = this.#reserved.keys();
    if (this.#reserved.size > maxRuns && oldest !== undefined) this.#reserved.delete(oldest);
  }
}

const hourSeconds = 3_600;

/** Returns null when the price of a second is unknown. */
function secondsIn(budget: RunBudget): number | null {
  if (budget.kind === 'time') return budget.maxSeconds;
  return budget.pricePerHour === null ? null : (budget.max / budget.pricePerHour) * hourSeconds;
}

function usedOf(budget: RunBudget, spentSeconds: number): string {
  if (budget.kind === 'time') return `${rounded(spentSeconds)} of ${budget.maxSeconds} s are used`;
  const { max, pricePerHour } = budget;
  if (pricePerHour === null) return `what its tasks cost is not known, and they may cost ${max}`;
  const cost = (spentSeconds * pricePerHour) / hourSeconds;
  return `${cost.toFixed(2)} of ${max} are spent, at ${pricePerHour} an hour`;
}

/** Empty when workers have no price. */
function costText(price: WorkerPrice | null, seconds: number): string {
  const { cost, currency } = workerCost(price, seconds);
  if (cost === null || currency === null) return '';
  const money = new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 4 });
  return ` and cost about ${money.format(cost)}`;
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
