import type { ExecutionTimeouts } from '../attempts/execution-timeouts.ts';
import type { TaskBatches } from '../batches/task-batches.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { StoredFileStore } from '../files/stored-file-store.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Configuration } from '../instances/configuration.ts';
import type { Monitor } from '../monitor/monitor.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';
import type { Pauses } from '../queue/pauses.ts';
import { QueueKeeper } from '../queue/queue-keeper.ts';
import type { AttemptStore } from '../tasks/attempt-store.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { CatchUp } from './catch-up.ts';
import { DispatchOrders } from './dispatch-orders.ts';
import { DispatcherRole } from './dispatcher-role.ts';
import { NewsReader } from './news-reader.ts';
import { NewsSender } from './news-sender.ts';
import { Replicas } from './replicas.ts';
import { ReportsElsewhere } from './reports-elsewhere.ts';
import { RunningNodes } from './running-nodes.ts';
import { TakeInNews } from './take-in-news.ts';

interface ReplicaParts
  extends Pick<
    DispatchParts,
    'database' | 'ownership' | 'others' | 'events' | 'clock' | 'steadyClock' | 'log'
  > {
  tasks: TaskStore;
  attempts: AttemptStore;
  files: StoredFileStore;
  matchmaker: Matchmaker;
  pauses: Pauses;
  timeouts: ExecutionTimeouts;
  configuration: Configuration;
  fleet: Fleet;
  batches: TaskBatches;
  monitor: Monitor;
  orders: DispatchOrders | null;
}

/** One dispatcher of several replicas. */
interface Placing {
  role: DispatcherRole;
  running: RunningNodes;
  /** Asks the other replicas at once for what the sockets of this one show. */
  look(): void;
  /** Fills the queue from the rows, then waits to be the dispatcher. */
  start(): Promise<void>;
  /** Places nothing more, and lets another replica take over. */
  stop(): Promise<void>;
  /** Tells the other replicas nothing more. */
  close(): Promise<void>;
}

export function createOrders({
  ownership,
  others,
  log,
}: Pick<DispatchParts, 'ownership' | 'others' | 'log'>): DispatchOrders | null {
  if (!others?.bus) return null;
  return new DispatchOrders({
    bus: others.bus,
    self: ownership.holder,
    onFault: (error) => log.warn({ err: error }, 'an order for the dispatcher could not be sent'),
  });
}

/** Makes one dispatcher of several replicas, and lets the others know what it does. */
export function createReplicas(parts: ReplicaParts): Placing {
  const { database, ownership, others, matchmaker, fleet, log } = parts;
  const role = new DispatcherRole({ ownership, log });
  const running = new RunningNodes({ ...parts, isDispatcher: () => role.isLeading });
  role.onChange((isLeading) => {
    if (!isLeading) running.forgetAll();
  });
  const queueKeeper = newQueueKeeper(parts, role);
  const replicas = openReplicas(parts, { role, queueKeeper, running });
  return {
    role,
    running,
    look: () => replicas?.look(),
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
      if (database.dialect === 'sqlite') await role.led;
      else await fleet.apply();
    },
    stop: async () => {
      await queueKeeper.close();
      matchmaker.close();
      await role.close();
      await fleet.close();
    },
    close: async () => {
      running.close();
      await replicas?.close();
    },
  };
}

function newQueueKeeper(parts: ReplicaParts, role: DispatcherRole): QueueKeeper {
  const { tasks, attempts, others, matchmaker, pauses, timeouts, events, clock, log } = parts;
  const catchUp = new CatchUp({ ...parts, isDispatcher: () => role.isLeading });
  return new QueueKeeper({
    tasks,
    attempts,
    queue: matchmaker,
    pauses,
    avoidMs: timeouts.avoidMs,
    isShared: others !== null,
    // Without a bus, nothing else tells what other replicas do.
    isUrgent: () => !others?.bus || role.isLeading || events.isFollowing,
    alongside: async () => {
      if (others !== null) await catchUp.run();
    },
    clock,
    onFault: (error) => log.warn({ err: error }, 'the queue could not be compared with the rows'),
  });
}

function openReplicas(
  parts: ReplicaParts,
  { role, queueKeeper, running }: { role: DispatcherRole; queueKeeper: QueueKeeper; running: RunningNodes },
): Replicas | null {
  const { ownership, others, orders, events, fleet, steadyClock, log } = parts;
  if (!others?.bus || !orders) return null;
  const { bus } = others;
  const self = ownership.holder;
  const isDispatcher = (): boolean => role.isLeading;
  const taking = new TakeInNews({
    ...parts,
    queue: parts.matchmaker,
    avoidMs: parts.timeouts.avoidMs,
  });
  const sender = new NewsSender({
    bus,
    events,
    self,
    token: () => role.token,
    steadyClock,
    onFault: (error) => log.warn({ err: error }, 'news of dispatch did not reach the other replicas'),
  });
  return new Replicas({
    sender,
    reader: new NewsReader({
      bus,
      self,
      takeIn: (news) => taking.takeIn(news),
      isUrgent: () => isDispatcher() || events.isFollowing,
      catchUp: async () => {
        await queueKeeper.sweep();
        events.passOn({ type: 'news_lost' });
      },
      onFault: (error) => log.warn({ err: error }, 'news of another replica could not be taken in'),
    }),
    orders,
    reports: new ReportsElsewhere({
      bus,
      events,
      orders,
      report: (event) => sender.report(event),
      isDispatcher,
      steadyClock,
      onFault: (error) => log.warn({ err: error }, 'previews did not cross between replicas'),
    }),
    running,
    fleet,
    isDispatcher,
  });
}
