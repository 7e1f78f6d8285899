import {
  compareWorkflowVersions,
  copyWorkflow,
  createWorkflow,
  deleteWorkflow,
  exportWorkflow,
  getWorkflow,
  importWorkflow,
  listWorkflows,
  listWorkflowVersions,
  noteWorkflowVersion,
  runWorkflow,
  switchSharedTool,
  updateWorkflow,
} from '@switchyard/contract/dispatch/workflow';
import { ok } from '@switchyard/contract/envelope';
import { type Guard, identityOf, isAdmin, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import type { SavedWorkflows } from './saved-workflows.ts';
import type { WorkflowFiles } from './workflow-files.ts';

export function workflowRoutes({
  savedWorkflows: workflows,
  workflowFiles,
  guard,
}: {
  savedWorkflows: SavedWorkflows;
  workflowFiles: WorkflowFiles;
  guard: Pick<Guard, 'originOf'>;
}): Routes {
  return (app) => {
    app.route({
      ...createWorkflow,
      handler: async (request) => ok(await workflows.create(identityOf(request).userId, request.body)),
    });

    app.route({
      ...listWorkflows,
      handler: async (request) => {
        const { name, limit = 50, offset = 0 } = request.query;
        return ok(await workflows.list(ownerOf(request), { name, limit, offset }));
      },
    });

    app.route({
      ...getWorkflow,
      handler: async (request) =>
        ok(await workflows.get(ownerOf(request), request.params.workflowId, request.query.version)),
    });

    app.route({
      ...updateWorkflow,
      handler: async (request) =>
        ok(await workflows.change(ownerOf(request), request.params.workflowId, request.body)),
    });

    app.route({
      ...listWorkflowVersions,
      handler: async (request) => ok(await workflows.versions(ownerOf(request), request.params.workflowId)),
    });

    app.route({
      ...noteWorkflowVersion,
      handler: async (request) => {
        const { workflowId, version } = request.params;
        const { notes } = request.body;
        return ok(await workflows.note(ownerOf(request), workflowId, { version, notes }));
      },
    });

    app.route({
      ...compareWorkflowVersions,
      handler: async (request) =>
        ok(await workflows.difference(ownerOf(request), request.params.workflowId, request.query)),
    });

    app.route({
      ...exportWorkflow,
      handler: async (request) =>
        ok(await workflowFiles.write(ownerOf(request), request.params.workflowId, request.query.version)),
    });

    app.route({
      ...importWorkflow,
      handler: async (request) =>
        ok(await workflowFiles.read(identityOf(request).userId, request.body, request.query.name)),
    });

    app.route({
      ...deleteWorkflow,
      handler: async (request) => {
        const { workflowId } = request.params;
        await workflows.delete(ownerOf(request), workflowId);
        return ok({ id: workflowId });
      },
    });

    app.route({
      ...copyWorkflow,
      handler: async (request) =>
        ok(await workflows.copy(identityOf(request).userId, request.params.workflowId, request.body.name)),
    });

    app.route({
      ...switchSharedTool,
      handler: async (request) =>
        ok(
          await workflows.switchTool(identityOf(request).userId, request.params.workflowId, request.body.on),
        ),
    });

    app.route({
      ...runWorkflow,
      handler: async (request, reply) => {
        const { task, replayed } = await workflows.run(request.params.workflowId, request.body, {
          userId: identityOf(request).userId,
          byAdmin: isAdmin(identityOf(request)),
          origin: guard.originOf(request),
          requestId: request.id,
          traceparent: traceOf(request),
          idempotencyKey: request.headers['idempotency-key'] ?? null,
        });
        if (replayed) reply.header('idempotency-replayed', 'true');
        return ok(task);
      },
    });
  };
}
