import { type Clock, steadyClock } from '../lib/clock.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Database } from '../platform/database/database.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { ExecutionTimeouts } from './attempts/execution-timeouts.ts';
import type { TaskBatches } from './batches/task-batches.ts';
import type { DispatchEvents } from './dispatch-events.ts';
import type { StoredFileStore } from './files/stored-file-store.ts';
import type { Fleet } from './fleet/fleet.ts';
import type { Configuration } from './instances/configuration.ts';
import type { Monitor } from './monitor/monitor.ts';
import type { PushHub } from './push/push-hub.ts';
import type { Matchmaker } from './queue/matchmaker.ts';
import type { Pauses } from './queue/pauses.ts';
import { QueueKeeper } from './queue/queue-keeper.ts';
import { CatchUp } from './replicas/catch-up.ts';
import { DispatchOrders } from './replicas/dispatch-orders.ts';
import { DispatcherRole } from './replicas/dispatcher-role.ts';
import { NewsReader } from './replicas/news-reader.ts';
import { NewsSender } from './replicas/news-sender.ts';
import { PreviewsElsewhere } from './replicas/previews-elsewhere.ts';
import { Replicas } from './replicas/replicas.ts';
import { TakeInNews } from './replicas/take-in-news.ts';
import type { AttemptStore } from './tasks/attempt-store.ts';
import type { TaskStore } from './tasks/task-store.ts';

interface Surroundings {
  database: Pick<Database<unknown>, 'dialect'>;
  ownership: Ownership;
  others: { bus: Bus | null } | null;
  clock: Clock;
  log: Logger;
}

interface Parts {
  store: TaskStore;
  attempts: AttemptStore;
  fileStore: StoredFileStore;
  matchmaker: Matchmaker;
  pauses: Pauses;
  events: DispatchEvents;
  timeouts: ExecutionTimeouts;
  configuration: Configuration;
  fleet: Fleet;
  batches: TaskBatches;
  hub: PushHub;
  monitor: Monitor;
  orders: DispatchOrders | null;
}

/** One dispatcher of several replicas. */
interface Placing {
  role: DispatcherRole;
  /** Fills the queue from the rows, then waits to be the dispatcher. */
  start(): Promise<void>;
  /** Places nothing more, and lets another replica take over. */
  stop(): Promise<void>;
  /** Tells the other replicas nothing more. */
  close(): Promise<void>;
}

export function createOrders({ ownership, others, log }: Surroundings): DispatchOrders | null {
  if (!others?.bus) return null;
  return new DispatchOrders({
    bus: others.bus,
    self: ownership.holder,
    onFault: (error) => log.warn({ err: error }, 'an order for the dispatcher could not be sent'),
  });
}

/** What makes one dispatcher of several replicas, and lets the others know what it does. */
export function createReplicas(surroundings: Surroundings, parts: Parts): Placing {
  const { ownership, others, log } = surroundings;
  const { matchmaker, fleet } = parts;
  const role = new DispatcherRole({ ownership, log });
  const queueKeeper = newQueueKeeper(surroundings, { ...parts, role });
  const replicas = openReplicas(surroundings, { ...parts, role, queueKeeper });
  return {
    role,
    start: async () => {
      await replicas?.start();
      await queueKeeper.start();
      role.start({
        lead: async (lease) => {
          // Until now the queue was kept by news, some of which may be on their way.
          if (others !== null) await queueKeeper.sweep();
          await fleet.lead(lease);
        },
        follow: () => fleet.follow(),
      });
      // A gateway that is alone on its database has to wait for no one.
      if (surroundings.database.dialect === 'sqlite') await role.led;
      else await fleet.apply();
    },
    stop: async () => {
      await queueKeeper.close();
      matchmaker.close();
      await role.close();
      await fleet.close();
    },
    close: async () => replicas?.close(),
  };
}

function newQueueKeeper(
  { others, clock, log }: Surroundings,
  { role, store, attempts, matchmaker, pauses, timeouts, ...parts }: Parts & Pick<Placing, 'role'>,
): QueueKeeper {
  const catchUp = new CatchUp({ ...parts, tasks: store, isDispatcher: () => role.isLeading });
  return new QueueKeeper({
    tasks: store,
    attempts,
    queue: matchmaker,
    pauses,
    avoidMs: timeouts.avoidMs,
    isShared: others !== null,
    alongside: async () => {
      if (others !== null) await catchUp.run();
    },
    clock,
    onFault: (error) => log.warn({ err: error }, 'the queue could not be compared with the rows'),
  });
}

function openReplicas(
  { ownership, others, clock, log }: Surroundings,
  { role, queueKeeper, orders, hub, ...parts }: Parts & { role: DispatcherRole; queueKeeper: QueueKeeper },
): Replicas | null {
  if (!others?.bus || !orders) return null;
  const { bus } = others;
  const { events, fleet } = parts;
  const self = ownership.holder;
  const isDispatcher = (): boolean => role.isLeading;
  const taking = new TakeInNews({
    ...parts,
    tasks: parts.store,
    files: parts.fileStore,
    queue: parts.matchmaker,
    avoidMs: parts.timeouts.avoidMs,
    clock,
  });
  return new Replicas({
    sender: new NewsSender({
      bus,
      events,
      self,
      token: () => role.token,
      steadyClock,
      onFault: (error) => log.warn({ err: error }, 'news of dispatch did not reach the other replicas'),
    }),
    reader: new NewsReader({
      bus,
      self,
      takeIn: (news) => taking.takeIn(news),
      isUrgent: () => isDispatcher() || events.isFollowing,
      catchUp: async () => {
        await queueKeeper.sweep();
        hub.resync();
      },
      onFault: (error) => log.warn({ err: error }, 'news of another replica could not be taken in'),
    }),
    orders,
    previews: new PreviewsElsewhere({
      bus,
      events,
      orders,
      wantedHere: () => hub.previewsWanted,
      isDispatcher,
      steadyClock,
      onFault: (error) => log.warn({ err: error }, 'previews did not cross between replicas'),
    }),
    fleet,
    isDispatcher,
  });
}
