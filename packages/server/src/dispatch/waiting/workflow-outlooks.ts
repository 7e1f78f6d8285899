import type {
  WorkflowOutlook,
  WorkflowOutlookQuestion,
} from '@switchyard/contract/dispatch/workflow-outlook';
import type { Clock } from '../../lib/clock.ts';
import { type WorkerPrice, workerCost } from '../../lib/worker-price.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { type Requirement, requirementOf } from '../graphs/capability.ts';
import { fingerprintOf } from '../graphs/fingerprint.ts';
import { parseGraph } from '../graphs/graph.ts';
import { applyParams, fileIdsIn } from '../graphs/params.ts';
import type { InstanceRow, InstanceStore } from '../instances/instance-store.ts';
import type { Tasks } from '../intake/tasks.ts';
import type { SavedWorkflows } from '../workflows/saved-workflows.ts';
import { type Durations, quartilesOf } from './durations.ts';
import type { Estimates } from './estimates.ts';
import { isAble, maxInstancesListed, viewInstance } from './instance-outlook.ts';

/** Says before a run where it could run, how long it takes there and what that costs. */
export class WorkflowOutlooks {
  readonly #options;

  constructor(options: {
    savedWorkflows: Pick<SavedWorkflows, 'taskWithRightValues'>;
    instances: Pick<InstanceStore, 'list'>;
    fleet: Pick<Fleet, 'obstaclesTo' | 'modelsFor'>;
    estimates: Pick<Estimates, 'ofGraph'>;
    price: WorkerPrice | null;
    tasks: Pick<Tasks, 'maxPriorityOf' | 'queueFullFor'>;
    clock: Clock;
  }) {
    this.#options = options;
  }

  async of(
    { userId, byAdmin }: { userId: string; byAdmin: boolean },
    workflowId: string,
    { params = {}, version, pool, instanceId }: WorkflowOutlookQuestion,
  ): Promise<WorkflowOutlook> {
    const { savedWorkflows, instances, fleet, estimates, price, tasks, clock } = this.#options;
    const input = await savedWorkflows.taskWithRightValues(userId, { workflowId, params, version });
    const { graph } = applyParams({
      graph: parseGraph(input.workflow),
      params: input.params ?? {},
      strict: false,
      // The submission checks that the files exist; here any name will do.
      fileNames: new Map(fileIdsIn(input.params ?? {}).map((fileId) => [fileId, fileId])),
    });
    const fingerprint = fingerprintOf(graph);
    const place = { pool: pool ?? null, pinnedInstanceId: instanceId ?? null };
    const task = {
      id: '',
      owner: userId,
      priority: 0,
      createdAtMs: clock(),
      frontMs: null,
      attempt: 0,
      fingerprint,
      requirement: requirementOf(graph, place),
      avoids: [],
    };
    const found = fleet.obstaclesTo(task, await instances.list());
    const able = found.filter(isAble);
    const free = able.filter(({ obstacles }) => obstacles.length === 0);
    const others = found.filter((each) => !able.includes(each));
    const ids = able.map(({ row }) => row.id);
    const durations = await estimates.ofGraph(fingerprint, ids);
    const seconds = durations && secondsOf(durations);
    return {
      totals: { instances: found.length, couldRun: able.length, free: free.length },
      instances: [...able, ...others].slice(0, maxInstancesListed).map(viewInstance),
      seconds,
      cost: seconds && costOf(price, seconds),
      instead:
        able.length > 0
          ? []
          : insteadOf(task.requirement.models, { fleet, rows: found.map(({ row }) => row) }),
      queueFull: tasks.queueFullFor(userId),
      maxPriority: tasks.maxPriorityOf({ byAdmin }),
    };
  }
}

const maxModels = 3;

/**
 * Returns other models for those that no instance has: of the model that most instances have, those instances, and what else
 * all of them have.
 */
function insteadOf(
  uses: Requirement['models'],
  { fleet, rows }: { fleet: Pick<Fleet, 'modelsFor'>; rows: readonly InstanceRow[] },
): WorkflowOutlook['instead'] {
  const nameOf = new Map(rows.map(({ id, serverName }) => [id, serverName]));
  return uses.flatMap(({ input, model }) => {
    const offers = fleet.modelsFor(input).filter(({ models }) => models.size > 0);
    if (offers.some(({ models }) => models.has(model))) return [];
    const known = [...new Set(offers.flatMap(({ models }) => [...models]))];
    const having = (name: string) => offers.filter(({ models }) => models.has(name));
    const [best] = known.toSorted((a, b) => having(b).length - having(a).length || (a < b ? -1 : 1));
    if (best === undefined) return [];
    const owners = having(best);
    const shared = known.filter((name) => owners.every(({ models }) => models.has(name))).toSorted();
    const models = [best, ...shared.filter((name) => name !== best)].slice(0, maxModels);
    return [
      { model, models, instances: owners.map(({ instanceId }) => nameOf.get(instanceId) ?? instanceId) },
    ];
  });
}

function secondsOf(durations: Durations): { low: number; high: number } {
  const { lowMs, highMs } = quartilesOf(durations);
  return { low: lowMs / 1_000, high: highMs / 1_000 };
}

function costOf(price: WorkerPrice | null, { low, high }: { low: number; high: number }) {
  const [from, to] = [workerCost(price, low), workerCost(price, high)];
  if (from.cost === null || to.cost === null || from.currency === null) return null;
  return { low: from.cost, high: to.cost, currency: from.currency };
}
