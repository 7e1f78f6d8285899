import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import {
  getHistory,
  getState,
  getStateAt,
  readHistory,
  readStateAt,
  updateState,
} from '@switchyard/contract/conversation/threads';
import type { Routes } from '../../http/app.ts';
import { ownerOf } from '../../http/guard.ts';
import { mountRules } from '../mount-rules.ts';
import { historyWish, stateChange, withoutThread } from './thread-requests.ts';
import type { ThreadStates } from './thread-states.ts';

export function threadStateRoutes(mount: Mount, { states }: { states: ThreadStates }): Routes {
  const rules = mountRules[mount];
  return (app) => {
    app.route({
      ...at(mount, getState),
      handler: async (request) =>
        states.current(ownerOf(request), request.params.thread_id, request.query.subgraphs),
    });

    app.route({
      ...at(mount, getStateAt),
      handler: async (request) => {
        const { thread_id, checkpoint_id } = request.params;
        const { subgraphs = false } = request.query;
        return states.at(ownerOf(request), thread_id, { checkpoint: { checkpoint_id }, subgraphs });
      },
    });

    app.route({
      ...at(mount, readStateAt),
      handler: async (request) => {
        const { checkpoint, subgraphs = false } = request.body;
        const { thread_id } = request.params;
        return states.at(ownerOf(request), thread_id, { checkpoint: withoutThread(checkpoint), subgraphs });
      },
    });

    app.route({
      ...at(mount, updateState),
      handler: async (request) =>
        states.update(ownerOf(request), request.params.thread_id, stateChange(request.body)),
    });

    app.route({
      ...at(mount, readHistory),
      handler: async (request) =>
        states.history(ownerOf(request), request.params.thread_id, { ...historyWish(request.body), rules }),
    });

    app.route({
      ...at(mount, getHistory),
      handler: async (request) =>
        states.history(ownerOf(request), request.params.thread_id, { ...historyWish(request.query), rules }),
    });
  };
}
