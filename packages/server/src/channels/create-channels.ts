import type { ChannelConfig } from '../config/channels.ts';
import type { ModelConfig } from '../config/models.ts';
import { shownModels } from '../conversation/catalog/models.ts';
import type { Memories } from '../conversation/memory/memories.ts';
import type { Removals } from '../conversation/removals.ts';
import type { RunFollowers } from '../conversation/runs/ending/run-followers.ts';
import type { Runs } from '../conversation/runs/runs.ts';
import type { ThreadAccess } from '../conversation/threads/thread-access.ts';
import type { Threads } from '../conversation/threads/threads.ts';
import type { Routes } from '../http/app.ts';
import type { Admission } from '../http/body/admission.ts';
import { systemTimer, type Timer } from '../lib/async/timer.ts';
import { toIso } from '../lib/clock.ts';
import { hourMs } from '../lib/time-units.ts';
import type { Audit } from '../platform/audit/audit.ts';
import type { Counters } from '../platform/counters/counters.ts';
import type { Database } from '../platform/database/database.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import type { StreamLog } from '../platform/stream-log/stream-log.ts';
import type { Channel } from './channel.ts';
import { ChannelCommands } from './channel-commands.ts';
import { ChannelIntake, intakeRetryDelaysMs } from './channel-intake.ts';
import { intakeKind, replyKind, sweepKind } from './channel-jobs.ts';
import type { ChannelNetwork } from './channel-network.ts';
import type { ChannelParts } from './channel-parts.ts';
import { ChannelRegistry } from './channel-registry.ts';
import { ChannelReplies, replyRetryDelaysMs } from './channel-replies.ts';
import { channelRoutes } from './channel-routes.ts';
import type { FindAccount } from './channel-senders.ts';
import { ChannelStore, forgetChannelsOfUser, forgetChannelThread } from './channel-store.ts';
import { Channels } from './channels.ts';
import { ChatThreads } from './chat-threads.ts';
import { HttpChannel } from './http-channel.ts';
import { LiveReplies } from './live-replies.ts';
import type { ChannelTables } from './tables.ts';
import { TelegramChannel } from './telegram/telegram-channel.ts';

/** The parts of other areas that channels need. */
export interface ChannelsSurroundings {
  configured: readonly ChannelConfig[];
  network: ChannelNetwork;
  findAccount: FindAccount;
  /** Messages come without a session, so their bodies count against the limit for strangers. */
  readBody: Admission['readBody'];
}

interface ChannelsDependencies
  extends ChannelsSurroundings,
    Pick<ChannelParts, 'jobs' | 'uploads' | 'artifacts' | 'clock' | 'log'> {
  database: Database<ChannelTables>;
  ownership: Pick<Ownership, 'hold' | 'tryHold'>;
  counters: Counters;
  streamLog: Pick<StreamLog, 'read'>;
  followers: Pick<RunFollowers, 'register'>;
  removals: Pick<Removals, 'register'>;
  runs: Pick<Runs, 'start' | 'find' | 'list' | 'valuesOf' | 'cancelMany'>;
  threads: Pick<Threads, 'create'>;
  access: Pick<ThreadAccess, 'require'>;
  memories: Pick<Memories, 'get'>;
  models: readonly ModelConfig[];
  audit: Pick<Audit, 'add'>;
  timer?: Timer;
}

export interface ChannelsPart {
  routes: Routes;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Number of messages that are handled at the same time, as the specification says. */
const intakeConcurrency = 5;
const replyConcurrency = 8;

/** Puts together everything about messaging channels. */
export function createChannels(dependencies: ChannelsDependencies): ChannelsPart {
  const { database, ownership, jobs, runs, access, threads, memories, clock, log } = dependencies;
  const { network, findAccount, uploads, artifacts, streamLog, counters, timer = systemTimer } = dependencies;
  const store = new ChannelStore(database);
  const registry = new ChannelRegistry(dependencies.configured, (config) =>
    openChannel(config, { network, clock, timer }),
  );
  const live = new LiveReplies({
    streamLog,
    noteSent: async (id, sent) => {
      await store.change(id, { sent: JSON.stringify(sent), updated_at: toIso(clock()) });
    },
    timer,
    log,
  });
  const channels = new Channels({
    store,
    registry,
    findAccount,
    ownership,
    jobs,
    counters,
    clock,
    timer,
    log,
  });
  const chats = new ChatThreads({ store, threads, access, clock });
  const commands = new ChannelCommands({ chats, runs, memories, models: shownModels(dependencies.models) });
  const shared = { store, registry, runs, ownership, jobs, clock, log, live };
  const intake = new ChannelIntake({ ...shared, findAccount, commands, chats, uploads });
  const replies = new ChannelReplies({
    ...shared,
    artifacts,
    report: (name, error) => channels.report(name, 'out', error),
  });
  jobs.register(intakeKind, (job) => intake.handle(job), {
    concurrency: intakeConcurrency,
    retryDelaysMs: intakeRetryDelaysMs,
  });
  jobs.register(replyKind, (job) => replies.handle(job), {
    concurrency: replyConcurrency,
    retryDelaysMs: replyRetryDelaysMs,
  });
  dependencies.followers.register({
    plan: (trx, run) => replies.plan(trx, run),
    ended: (run) => replies.wake(run),
  });
  dependencies.removals.register<ChannelTables>({
    forgetThread: (trx, threadId) => forgetChannelThread(trx, { threadId, at: toIso(clock()) }),
    forgetUser: forgetChannelsOfUser,
  });
  jobs.register(sweepKind, () => channels.sweep(), { everyMs: hourMs });

  return {
    routes: channelRoutes({ ...dependencies, channels }),
    start: () => channels.start(),
    close: async () => {
      await channels.close();
      await live.close();
    },
  };
}

function openChannel(
  config: ChannelConfig,
  { network, clock, timer }: Pick<ChannelParts, 'network' | 'clock' | 'timer'>,
): Channel {
  switch (config.type) {
    case 'telegram':
      return new TelegramChannel(config, { timer, fetch: network.fetch });
    case 'http':
      return new HttpChannel(config, { network, clock });
  }
}
