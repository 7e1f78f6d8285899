import {
  type Cron,
  countCrons,
  createCron,
  createThreadCron,
  deleteCron,
  patchCron,
  searchCrons,
} from '@switchyard/contract/conversation/crons';
import type { CustomCall } from '../../http/access/custom-calls.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Crons } from '../schedules/crons.ts';
import {
  type AskedRequest,
  type AuthRule,
  bodyOf,
  type Json,
  metadataIn,
  narrowSearch,
  paramOf,
  type RuleOfEndpoint,
} from './asked-request.ts';
import { type AuthFilter, passes } from './auth-filter.ts';
import { admitRun, type RunReach, threadIdIn } from './run-rules.ts';

type Known = Pick<Crons, 'get'>;

/**
 * The questions to the handlers about crons, by endpoint. No caller is there when the time of a cron has come, so the
 * handlers decide about its runs when it is made or changed.
 */
export function cronRules(reach: RunReach, crons: Known): RuleOfEndpoint[] {
  return [
    ...[createCron, createThreadCron].map((endpoint) => [endpoint, create(reach)] as const),
    [patchCron, change(reach, crons)],
    [deleteCron, remove(crons)],
    [searchCrons, search({ headers: {}, body: [] })],
    [countCrons, search({ headers: {}, body: 0 })],
  ];
}

function create(reach: RunReach): AuthRule {
  return async (asked) => {
    const body = bodyOf(asked);
    const threadId = (asked.call.params.thread_id as string | undefined) ?? null;
    const { about, request } = partsOf(body);
    const value = { ...about, thread_id: threadId, user_id: asked.call.user.identity, payload: body };
    const { value: left } = await asked.ask('crons:create', value);
    const run: Json = { ...request, metadata: metadataIn(left, 'crons:create') };
    await admitRun(reach, asked, { body: run, threadId: threadId ?? threadIdIn(run) });
    body.metadata = run.metadata;
  };
}

/** A cron that only has to rest starts nothing. */
function change(reach: RunReach, crons: Known): AuthRule {
  return async (asked) => {
    const body = bodyOf(asked);
    const onlyRests = Object.keys(body).length === 1 && body.enabled === false;
    const cronId = paramOf(asked, 'cron_id');
    const { about, request } = partsOf(body);
    const { filter, value } = await asked.ask('crons:update', { cron_id: cronId, ...about, payload: body });
    body.metadata = metadataIn(value, 'crons:update');
    const present = await requireCron(crons, asked, { cronId, filter });
    if (onlyRests) return;
    const metadata = { ...present.metadata, ...(body.metadata as Json) };
    const run: Json = { ...present.payload, ...request, metadata };
    await admitRun(reach, asked, { body: run, threadId: present.thread_id ?? threadIdIn(run) });
    body.metadata = run.metadata;
  };
}

function remove(crons: Known): AuthRule {
  return async (asked) => {
    const cronId = paramOf(asked, 'cron_id');
    const { filter } = await asked.ask('crons:delete', { cron_id: cronId });
    await requireCron(crons, asked, { cronId, filter });
  };
}

function search(nothing: NonNullable<CustomCall['answer']>): AuthRule {
  return async (asked) => {
    const { assistant_id, thread_id, enabled, metadata, limit, offset } = bodyOf(asked);
    const value = { assistant_id, thread_id, enabled, metadata: metadata ?? {}, limit, offset };
    const { filter } = await asked.ask('crons:search', value);
    narrowSearch(asked, filter, nothing);
  };
}

/** Returns what a cron says about itself, and what it asks of each run. Its metadata are those of its runs as well. */
function partsOf(body: Json): { about: Json; request: Json } {
  const { schedule, timezone, end_time, enabled, on_run_completed, metadata, ...request } = body;
  const about = { schedule, timezone, end_time, enabled, on_run_completed, metadata: metadata ?? {} };
  return { about, request };
}

/** A cron that the filter hides is answered like one that does not exist. */
async function requireCron(
  crons: Known,
  { call: { owner } }: AskedRequest,
  { cronId, filter }: { cronId: string; filter: AuthFilter | null },
): Promise<Cron> {
  const cron = await crons.get(owner, cronId);
  if (filter && !passes(cron.metadata, filter)) throw new AppError('cron_not_found');
  return cron;
}
