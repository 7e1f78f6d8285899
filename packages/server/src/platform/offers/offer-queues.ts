import { DelayedError, Queue, Worker } from 'bullmq';
import type { Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RedisClient, RedisServer } from '../redis/redis-server.ts';
import { type OfferEngine, OfferQueue } from './offer-queue.ts';
import { StartTags } from './start-tags.ts';

export interface OfferQueuesOptions {
  redis: Pick<RedisServer, 'connect' | 'release' | 'untilReady' | 'key'>;
  /** Together with `steadyClock`: for the rests after errors. */
  timer?: Timer;
  steadyClock?: Clock;
}

/** BullMQ blocks a connection for 10 s at most; this is for a server that does not answer at all. */
const commandMs = 15_000;
/** An idle process waits this long for a hint of a new offer before it looks by itself. Each kind of job has a queue that does so. */
const idleSeconds = 10;
/** Events of BullMQ, which nothing here reads. */
const keptEvents = 100;
/** The number of times that an offer may lose its process. The row counts attempts, so this one never decides. */
const maxStalledCount = 1_000_000;

/**
 * Opens queues of offers on the Redis of this gateway. They share a connection; each one that is served blocks a second one.
 * Import this file where Redis is configured, and there dynamically: it loads BullMQ.
 */
export class OfferQueues {
  readonly #options: OfferQueuesOptions;
  readonly #connection: RedisClient;
  /** For the workers: their commands wait while Redis is away. */
  readonly #patient: RedisClient;
  readonly #engine: OfferEngine;

  private constructor(options: OfferQueuesOptions, connection: RedisClient, patient: RedisClient) {
    this.#options = options;
    this.#connection = connection;
    this.#patient = patient;
    this.#engine = engineOver({ connection, patient, prefix: options.redis.key('offers') });
  }

  static async open(options: OfferQueuesOptions): Promise<OfferQueues> {
    const { redis } = options;
    const shared = { commandTimeout: commandMs };
    const connection = redis.connect('offers', { isBlocking: true, options: shared });
    // A worker of BullMQ asks again at once when a command is refused. Without a queue it would do nothing else until Redis
    // is back, and the event loop would never learn that it is. Here a command waits for the next try to connect.
    const patient = redis.connect('workers', {
      isBlocking: true,
      options: { ...shared, enableOfflineQueue: true },
    });
    await Promise.all([redis.untilReady(connection), redis.untilReady(patient)]);
    return new OfferQueues(options, connection, patient);
  }

  /** `report` is called for each fault, also for those that pass by themselves. */
  queue<Data>(name: string, report: (error: unknown) => void): OfferQueue<Data> {
    const { timer, steadyClock } = this.#options;
    return new OfferQueue({ name, engine: this.#engine, report, timer, steadyClock });
  }

  /** The order between the owners of what is offered. */
  startTags(name: string): StartTags {
    const { redis } = this.#options;
    return new StartTags({ connection: this.#connection, key: (part) => redis.key('turns', name, part) });
  }

  /** Calls `onBack` each time when the connection was lost and is back. */
  onBack(onBack: () => void): void {
    this.#connection.on('ready', onBack);
  }

  /** Close the queues before. */
  close(): void {
    this.#options.redis.release(this.#connection);
    this.#options.redis.release(this.#patient);
  }
}

function engineOver({
  connection,
  patient,
  prefix,
}: Record<'connection' | 'patient', RedisClient> & { prefix: string }): OfferEngine {
  return {
    newQueue: (name) => new Queue(name, { connection, prefix, streams: { events: { maxLen: keptEvents } } }),
    newWorker: (name, process, { concurrency, lockMs }) =>
      new Worker(name, process, {
        connection: patient,
        prefix,
        autorun: false,
        concurrency,
        lockDuration: lockMs,
        stalledInterval: lockMs,
        maxStalledCount,
        drainDelay: idleSeconds,
      }),
    DelayedError,
  };
}
