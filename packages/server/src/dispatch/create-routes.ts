import type { Routes } from '../http/app.ts';
import { steadyClock } from '../lib/clock.ts';
import { readTogether } from '../platform/database/snapshot.ts';
import { taskBatchRoutes } from './batches/task-batch-routes.ts';
import type { TaskBatches } from './batches/task-batches.ts';
import type { DispatchDependencies } from './create-dependencies.ts';
import type { Records } from './create-records.ts';
import { FileArchives } from './files/file-archives.ts';
import { fileRoutes } from './files/file-routes.ts';
import { StoredFileStore } from './files/stored-file-store.ts';
import { Thumbnails } from './files/thumbnails.ts';
import { instanceRoutes } from './fleet/instance-routes.ts';
import type { Instances } from './fleet/instances.ts';
import type { Configuration } from './instances/configuration.ts';
import { configurationRoutes } from './instances/configuration-routes.ts';
import type { TaskFront } from './intake/task-front.ts';
import { taskRoutes } from './intake/task-routes.ts';
import type { Tasks } from './intake/tasks.ts';
import type { Monitor } from './monitor/monitor.ts';
import { monitorRoutes } from './monitor/monitor-routes.ts';
import type { PoolBoard } from './monitor/pool-board.ts';
import type { PushHub } from './push/push-hub.ts';
import { pushRoute } from './push/push-route.ts';
import type { QueueControl } from './queue/queue-control.ts';
import { queueRoutes } from './queue/queue-routes.ts';
import { Lineage } from './recipes/lineage.ts';
import { LineageStore } from './recipes/lineage-store.ts';
import { recipeRoutes } from './recipes/recipe-routes.ts';
import { RecipeStore } from './recipes/recipe-store.ts';
import { Recipes } from './recipes/recipes.ts';
import { taskNodeRoutes } from './tasks/task-node-routes.ts';
import { taskTimelineRoutes } from './timeline/task-timeline-routes.ts';
import type { TaskTimelines } from './timeline/task-timelines.ts';
import type { Waiting } from './waiting/waiting.ts';
import { waitingRoutes } from './waiting/waiting-routes.ts';
import type { WorkflowOutlooks } from './waiting/workflow-outlooks.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';
import { WebhookTests } from './webhooks/webhook-tests.ts';
import type { SavedWorkflows } from './workflows/saved-workflows.ts';
import { workflowRoutes } from './workflows/workflow-routes.ts';

export function createRoutes(
  dependencies: DispatchDependencies,
  parts: Pick<
    Records,
    'files' | 'webhookStore' | 'webhooks' | 'taskNodes' | 'store' | 'matchmaker' | 'events'
  > & {
    configuration: Configuration;
    tasks: Tasks;
    front: TaskFront;
    savedWorkflows: SavedWorkflows;
    instances: Instances;
    timelines: TaskTimelines;
    monitor: Monitor;
    board: PoolBoard;
    hub: PushHub;
    waiting: Waiting;
    outlooks: WorkflowOutlooks;
    control: QueueControl;
    batches: TaskBatches;
  },
): Routes[] {
  const { database, content, thumbnails, guard, links, openStreams, audit, clock, options } = dependencies;
  const { files, webhooks, configuration, tasks, savedWorkflows, instances, monitor, hub } = parts;
  return [
    taskRoutes({ tasks, front: parts.front, openStreams, guard }),
    taskNodeRoutes(parts),
    waitingRoutes(parts),
    queueRoutes({ control: parts.control }),
    taskBatchRoutes({ batches: parts.batches, openStreams }),
    instanceRoutes({ instances }),
    fileRoutes({
      files,
      archives: new FileArchives({ files }),
      thumbnails: new Thumbnails({ content, cache: thumbnails }),
      links,
      audit,
      guard,
      uploadBytes: options.limits.uploadBytes,
    }),
    recipeRoutes({
      recipes: new Recipes({
        together: readTogether(database, (frozen) => ({
          files: new StoredFileStore(frozen),
          store: new RecipeStore(frozen),
        })),
        tasks,
      }),
      lineage: new Lineage({
        together: readTogether(database, (frozen) => ({
          files: new StoredFileStore(frozen),
          store: new LineageStore(frozen),
        })),
        links,
      }),
      guard,
    }),
    configurationRoutes({ configuration }),
    taskTimelineRoutes(parts),
    monitorRoutes({ monitor, board: parts.board, guard }),
    webhookRoutes({
      webhooks,
      tests: new WebhookTests({
        store: parts.webhookStore,
        policy: { allowPrivate: options.webhooksToPrivateAddresses },
        clock,
        steadyClock,
      }),
    }),
    workflowRoutes({ workflows: savedWorkflows, guard }),
    pushRoute({ ...dependencies, hub, socketsPerUser: options.limits.socketsPerUser }),
  ];
}
