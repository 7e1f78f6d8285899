import {
  type consoleScopes,
  getConsoleStats,
  getConsoleUsage,
  listConsoleRuns,
} from '@switchyard/contract/conversation/console';
import { say } from '@switchyard/contract/sentences/sentences';
import type { FastifyRequest } from 'fastify';
import { identityOf, isAdmin, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { AppError } from '../../lib/app-error.ts';
import { runAt } from './run-page.ts';
import type { Asker, UsageSummaries } from './usage-summaries.ts';

export function consoleRoutes({ summaries }: { summaries: UsageSummaries }): Routes {
  return (app) => {
    app.route({
      ...getConsoleStats,
      handler: async (request) => summaries.stats(askerOf(request, request.query.scope)),
    });

    app.route({
      ...listConsoleRuns,
      handler: async (request) => {
        const { limit = 20, offset = 0, cursor, scope, ...filter } = request.query;
        const page = { limit, offset, after: cursor === undefined ? null : runAt(cursor) };
        return summaries.runs(askerOf(request, scope), { ...page, filter });
      },
    });

    app.route({
      ...getConsoleUsage,
      handler: async (request) => {
        const { days = 14, tz_offset_minutes: offsetMinutes = 0, scope } = request.query;
        return summaries.usage(askerOf(request, scope), { days, offsetMinutes });
      },
    });
  };
}

function askerOf(request: FastifyRequest, scope: (typeof consoleScopes)[number] = 'own'): Asker {
  if (scope === 'all' && !isAdmin(identityOf(request))) {
    throw new AppError('admin_required', {
      message: say('numbers_of_all'),
    });
  }
  return { owner: ownerOf(request), isEverybody: scope === 'all' };
}
