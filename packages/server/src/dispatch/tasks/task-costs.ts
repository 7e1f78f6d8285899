import type { TaskConversation } from '@switchyard/contract/dispatch/task';
import type { NewTask } from '@switchyard/contract/dispatch/tasks';
import type { Clock } from '../../lib/clock.ts';
import { fingerprintOf } from '../graphs/fingerprint.ts';
import { parseGraph } from '../graphs/graph.ts';
import { applyParams, fileIdsIn } from '../graphs/params.ts';
import type { TaskCostStore, TimedTask } from './task-cost-store.ts';

/** The cost of one tool call: how long its task took, or has taken until now. */
export interface CallCost {
  taskId: string;
  toolCallId: string;
  seconds: number;
  hasEnded: boolean;
}

/** The number of earlier tasks that an estimate is based on. */
const sample = 5;

/** Counts what tasks cost, in the seconds that workers spend on them. */
export class TaskCosts {
  readonly #store: TaskCostStore;
  readonly #clock: Clock;

  constructor(store: TaskCostStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Returns the median of this user's earlier tasks with the same graph, whatever their values; null when there is
   * none. Throws the errors of a submission when the graph or its params are wrong.
   */
  async estimateSeconds(
    userId: string,
    { workflow, params = {} }: Pick<NewTask, 'workflow' | 'params'>,
  ): Promise<number | null> {
    const { graph } = applyParams({
      graph: parseGraph(workflow),
      params,
      strict: false,
      // The submission checks that the files exist; here any name will do.
      fileNames: new Map(fileIdsIn(params).map((fileId) => [fileId, fileId])),
    });
    const earlier = await this.#store.completedLike(userId, {
      fingerprint: fingerprintOf(graph),
      limit: sample,
    });
    const seconds = earlier.map((task) => this.#secondsOf(task)).sort((a, b) => a - b);
    return seconds[Math.floor(seconds.length / 2)] ?? null;
  }

  async ofRun(userId: string, runId: string): Promise<CallCost[]> {
    const tasks = await this.#store.ofRun(userId, runId);
    const costs = tasks.map((task) => {
      const call = JSON.parse(task.conversation) as TaskConversation;
      return { call, taskId: task.id, seconds: this.#secondsOf(task), hasEnded: task.finishedAt !== null };
    });
    return costs
      .filter(({ call }) => call.runId === runId)
      .map(({ call: { toolCallId }, ...cost }) => ({ toolCallId, ...cost }));
  }

  #secondsOf({ startedAt, finishedAt }: TimedTask): number {
    if (startedAt === null) return 0;
    const endMs = finishedAt === null ? this.#clock() : Date.parse(finishedAt);
    return Math.max(0, endMs - Date.parse(startedAt)) / 1000;
  }
}
