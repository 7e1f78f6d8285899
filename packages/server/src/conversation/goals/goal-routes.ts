import { deleteGoal, getGoal, putGoal } from '@switchyard/contract/conversation/goal';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Goals } from './goals.ts';

export function goalRoutes({ goals }: { goals: Goals }): Routes {
  return (app) => {
    app.route({
      ...getGoal,
      handler: async (request) => ({ goal: await goals.get(ownerOf(request), request.params.thread_id) }),
    });
    app.route({
      ...putGoal,
      handler: async (request) => ({
        goal: await goals.set(ownerOf(request), request.params.thread_id, request.body),
      }),
    });
    app.route({
      ...deleteGoal,
      handler: async (request) => {
        await goals.clear(ownerOf(request), request.params.thread_id);
        return { goal: null };
      },
    });
  };
}
