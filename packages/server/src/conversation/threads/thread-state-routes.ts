import { setImmediate as nextTurn } from 'node:timers/promises';
import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import {
  getHistory,
  getState,
  getStateAt,
  readHistory,
  readStateAt,
  updateState,
} from '@switchyard/contract/conversation/threads';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { mountRules } from '../mount-rules.ts';
import { historyText } from './history-text.ts';
import { historyRequest, stateChange, withoutThread } from './thread-requests.ts';
import type { HistoryRequest, ThreadStates } from './thread-states.ts';

/** This many entries are sent completely, however large they are. */
const shortHistory = 20;
/** A longer history ends after the entry with which it exceeds this; `before` continues from there. */
const historyCharacters = 32 * 1024 * 1024;

export function threadStateRoutes(mount: Mount, { states }: { states: ThreadStates }): Routes {
  const rules = mountRules[mount];
  const sendHistory = async (
    request: FastifyRequest<{ Params: { thread_id: string } }>,
    reply: FastifyReply,
    requested: HistoryRequest,
  ): Promise<void> => {
    const entries = states.history(ownerOf(request), request.params.thread_id, { ...requested, rules });
    const maxCharacters = requested.limit > shortHistory ? historyCharacters : Number.POSITIVE_INFINITY;
    const text = await historyText(entries, { maxCharacters, betweenPieces: () => nextTurn() });
    reply.type('application/json; charset=utf-8').send(text);
  };

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
        states.update(ownerOf(request), request.params.thread_id, { ...stateChange(request.body), rules }),
    });

    app.route({
      ...at(mount, readHistory),
      handler: async (request, reply) => {
        await sendHistory(request, reply, historyRequest(request.body));
        return reply;
      },
    });

    app.route({
      ...at(mount, getHistory),
      handler: async (request, reply) => {
        await sendHistory(request, reply, historyRequest(request.query));
        return reply;
      },
    });
  };
}
