import {
  openThreadSocket,
  sendCommand,
  streamThreadEvents,
} from '@switchyard/contract/conversation/protocol';
import {
  cancelAndStreamRun,
  cancelRun,
  cancelRuns,
  createRun,
  createRunBatch,
  createStatelessRun,
  deleteRun,
  getRun,
  joinRun,
  listRuns,
  streamExistingRun,
  streamRun,
  streamRunById,
  streamStatelessRun,
  streamThread,
  waitRun,
  waitStatelessRun,
} from '@switchyard/contract/conversation/runs';
import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../../lib/app-error.ts';
import { isOn } from '../runs/run-addresses.ts';
import { assistantOf } from '../threads/thread.ts';
import {
  type AskedRequest,
  type AuthRule,
  bodyOf,
  type Json,
  metadataIn,
  paramOf,
  type RuleOfEndpoint,
} from './asked-request.ts';
import type { ThreadReach } from './thread-reach.ts';

/** The questions to the handlers about runs, by endpoint. A run has no metadata to filter by: its thread's count. */
export function runRules(reach: ThreadReach): RuleOfEndpoint[] {
  const { readThread, updateThread } = reach;
  return [
    ...[listRuns, getRun, streamThread, streamThreadEvents].map(
      (endpoint) => [endpoint, readThread] as const,
    ),
    ...[joinRun, streamExistingRun].map((endpoint) => [endpoint, watch(readThread, updateThread)] as const),
    [streamRunById, watch(reach.readThreadOfRun, (asked) => reach.ofRun(asked, 'threads:update'))],
    ...[cancelRun, cancelAndStreamRun].map((endpoint) => [endpoint, updateThread] as const),
    ...[createRun, streamRun, waitRun].map((endpoint) => [endpoint, createInThread(reach)] as const),
    ...[createStatelessRun, streamStatelessRun, waitStatelessRun].map(
      (endpoint) => [endpoint, createWithoutThread(reach)] as const,
    ),
    [createRunBatch, createBatch(reach)],
    [cancelRuns, cancelMany(reach)],
    [deleteRun, removeRun(reach)],
    [sendCommand, command(reach)],
    [openThreadSocket, openSocket(reach)],
  ];
}

/** A reader whose leaving cancels the run changes the thread. */
function watch(read: AuthRule, update: AuthRule): AuthRule {
  return async (asked) => {
    await read(asked);
    const { cancel_on_disconnect: cancels } = asked.call.query;
    if (isOn(cancels as string | undefined)) await update(asked);
  };
}

function createInThread(reach: ThreadReach): AuthRule {
  return (asked) => admitRun(reach, asked, { body: bodyOf(asked), threadId: paramOf(asked, 'thread_id') });
}

function createWithoutThread(reach: ThreadReach): AuthRule {
  return (asked) => admitRun(reach, asked, { body: bodyOf(asked), threadId: threadIdIn(bodyOf(asked)) });
}

function createBatch(reach: ThreadReach): AuthRule {
  return async (asked) => {
    for (const body of asked.call.body as Json[])
      await admitRun(reach, asked, { body, threadId: threadIdIn(body) });
  };
}

export type RunReach = Pick<ThreadReach, 'requireThread' | 'readStarted' | 'threadOf'>;

/** The metadata become those of the run, and those of a thread that is made for it. */
export async function admitRun(
  { requireThread, readStarted, threadOf }: RunReach,
  asked: AskedRequest,
  { body, threadId }: { body: Json; threadId: string | null },
): Promise<void> {
  const { metadata, assistant_id, multitask_strategy, if_not_exists, after_seconds, ...kwargs } = body;
  const started = assistant_id ?? assistantOf(await threadOf(asked.call.owner, threadId));
  const { filter, value } = await asked.ask('threads:create_run', {
    thread_id: threadId,
    assistant_id: started,
    status: 'pending',
    metadata: metadata ?? {},
    multitask_strategy,
    if_not_exists,
    after_seconds,
    kwargs,
  });
  body.metadata = metadataIn(value, 'threads:create_run');
  if (threadId !== null) await requireThread(asked, { threadId, filter, mayBeNew: true });
  await readStarted(asked, started);
}

function cancelMany(reach: ThreadReach): AuthRule {
  return async (asked) => {
    const { thread_id: threadId, run_ids: runIds } = bodyOf(asked);
    const { action } = asked.call.query;
    if (typeof threadId === 'string') {
      const { filter } = await asked.ask('threads:update', { thread_id: threadId, action });
      return reach.requireThread(asked, { threadId, filter });
    }
    if (Array.isArray(runIds)) {
      for (const runId of runIds as string[]) await reach.ofRun(asked, 'threads:update', runId);
      return;
    }
    const { filter } = await asked.ask('threads:update', { action });
    if (filter)
      throw unserved('Runs of all threads cannot be cancelled at once here. Name a thread_id or run_ids.');
  };
}

function removeRun({ requireThread }: ThreadReach): AuthRule {
  return async (asked) => {
    const threadId = paramOf(asked, 'thread_id');
    const value = { thread_id: threadId, run_id: paramOf(asked, 'run_id') };
    const { filter } = await asked.ask('threads:delete', value);
    await requireThread(asked, { threadId, filter });
  };
}

const starting: ReadonlySet<unknown> = new Set(['run.start', 'input.respond']);

/** A body that is not a command is refused after this, in the words of the protocol. */
function command(reach: ThreadReach): AuthRule {
  return async (asked) => {
    const { body } = asked.call;
    const { method, params = {} } = isRecord(body) ? body : {};
    const startsRun = starting.has(method) && isRecord(params) && isRecord(params.metadata ?? {});
    if (!isRecord(body) || !startsRun) return reach.readThread(asked);
    body.params = params;
    await admitRun(reach, asked, { body: params, threadId: paramOf(asked, 'thread_id') });
  };
}

/** A socket may wait for its thread. Each of its commands is asked about when it comes. */
function openSocket({ requireThread }: ThreadReach): AuthRule {
  return async (asked) => {
    const threadId = paramOf(asked, 'thread_id');
    const { filter } = await asked.ask('threads:read', { thread_id: threadId });
    await requireThread(asked, { threadId, filter, mayBeNew: true });
  };
}

function unserved(message: string): AppError {
  return new AppError('custom_auth_unserved', { message });
}

/** The thread that a request without one in its address names in its settings. */
export function threadIdIn({ config }: Json): string | null {
  const configurable = isRecord(config) ? config.configurable : undefined;
  const named = isRecord(configurable) ? configurable.thread_id : undefined;
  return typeof named === 'string' ? named : null;
}
