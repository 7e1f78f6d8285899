import { Redis, type RedisOptions } from 'ioredis';
import { newDeferred } from '../../lib/async/deferred.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import { type ClusterName, claimPrefix } from './cluster-claim.ts';
import { type RedisAddress, redisAddress } from './redis-address.ts';
import { isRefused, redisFault } from './redis-fault.ts';

export type RedisClient = Redis;

type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

export interface RedisLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface RedisServerOptions {
  url: string;
  prefix: string;
  /** The cluster that uses the prefix. Another one under the same prefix is refused. */
  cluster: ClusterName;
  log: RedisLog;
  /** Called each time that the server goes away. */
  onLost?: () => void;
  limits?: Partial<RedisLimits>;
}

export interface RedisLimits {
  connectMs: number;
  /** The time for which the caller of a command waits. After that time without an answer the connection counts as lost. */
  answerMs: number;
  /** The interval at which each connection is asked for a sign of life, so that a silent one is noticed. */
  beatMs: number;
  /** The time for which a start waits for a server that does not answer yet. */
  startMs: number;
}

const defaultLimits: RedisLimits = { connectMs: 2_000, answerMs: 2_000, beatMs: 1_000, startMs: 5_000 };

/** The wait before a new connection begins here and doubles up to the maximum. */
const firstRetryMs = 50;
const maxRetryMs = 2_000;

/**
 * The Redis of this gateway: the only place that opens connections to it. Redis may be away at any time. A command then
 * fails at once instead of waiting in a queue, and the connections come back by themselves.
 */
export class RedisServer {
  /** For commands that do not block. */
  readonly commands: RedisClient;
  readonly prefix: string;
  readonly #options: RedisServerOptions;
  readonly #address: RedisAddress;
  readonly #limits: RedisLimits;
  readonly #clients = new Map<RedisClient, { isAsked: boolean }>();
  #fault: string | null = null;
  #latencyMs: number | null = null;
  #cancelBeat: () => void = () => undefined;
  #isClosed = false;

  private constructor(options: RedisServerOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#address = redisAddress(options.url);
    this.prefix = options.prefix;
    this.commands = this.connect('commands');
  }

  /** Connects and checks the server. Throws an error of one sentence when the gateway cannot work with it. */
  static async open(options: RedisServerOptions): Promise<RedisServer> {
    const server = new RedisServer(options);
    try {
      await server.untilReady(server.commands);
      await server.#refuseEviction();
      const fault = await server.#claim();
      if (fault !== null) throw new Error(fault);
      server.#planBeat();
      return server;
    } catch (error) {
      server.close();
      throw error;
    }
  }

  /**
   * Connects, asks, and disconnects: the prefix is not taken and nothing is written. Throws the errors of `open` for a server
   * that cannot be reached, or that evicts.
   */
  static async inspect<Answer>(
    options: Omit<RedisServerOptions, 'cluster'>,
    ask: (client: RedisClient) => Promise<Answer>,
  ): Promise<Answer> {
    const server = new RedisServer({ ...options, cluster: { database: '', secrets: () => [] } });
    try {
      await server.untilReady(server.commands);
      await server.#refuseEviction();
      return await ask(server.commands);
    } finally {
      server.close();
    }
  }

  /** Null while the server does what it should, otherwise a sentence about what is wrong. */
  get fault(): string | null {
    return this.#fault;
  }

  /** Returns how long the last sign of life took. */
  get latencyMs(): number | null {
    return this.#latencyMs;
  }

  key(...names: string[]): string {
    return [this.prefix, ...names].join(':');
  }

  /** Channels are shared by all databases of a server, keys are not, so a channel names the database. */
  channel(...names: string[]): string {
    return this.key(String(this.#address.target.db), ...names);
  }

  /**
   * Opens a further connection. One that blocks (`isBlocking`) is not asked for signs of life, and its commands bring
   * limits of their own.
   */
  connect(purpose: string, options: { isBlocking?: boolean; options?: ClientOptions } = {}): RedisClient {
    const { connectMs, answerMs } = this.#limits;
    const isAsked = options.isBlocking !== true;
    const settings: ClientOptions = {
      ...this.#address.target,
      connectionName: `${this.prefix}-${purpose}`,
      connectTimeout: connectMs,
      ...(isAsked && { commandTimeout: answerMs, socketTimeout: answerMs }),
      protocol: 2,
      disableClientInfo: true,
      // A command that cannot be sent now fails now: callers know better than a queue how to continue without Redis.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (times) =>
        Math.min(firstRetryMs * 2 ** Math.min(times - 1, 10), maxRetryMs) + Math.random() * firstRetryMs,
      ...options.options,
    };
    const client = new Redis(settings);
    client.on('error', (error) => this.noteFault(error));
    this.#clients.set(client, { isAsked });
    return client;
  }

  /** Closes one connection. */
  release(client: RedisClient): void {
    this.#clients.delete(client);
    client.disconnect();
  }

  /** Waits for a connection, and throws one sentence when it does not come up in the time that a start may take. */
  async untilReady(client: RedisClient): Promise<void> {
    if (client.status === 'ready') return;
    const ready = newDeferred();
    let last: unknown;
    const onError = (error: unknown): void => {
      last = error;
      if (isRefused(error)) ready.reject(error);
    };
    const cancel = systemTimer(() => ready.reject(last ?? new Error('timed out')), this.#limits.startMs);
    client.once('ready', ready.resolve).on('error', onError);
    try {
      await ready.promise;
    } catch (error) {
      throw new Error(redisFault(error, this.#address.shown), { cause: error });
    } finally {
      cancel();
      client.off('ready', ready.resolve).off('error', onError);
    }
  }

  /** For a caller that goes on without the answer to a command. The operator finds it in the log and in health. */
  noteFault(error: unknown): void {
    this.#report(redisFault(error, this.#address.shown));
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelBeat();
    for (const client of [...this.#clients.keys()]) this.release(client);
  }

  /** A server that evicts would take jobs away that wait in it. */
  async #refuseEviction(): Promise<void> {
    const memory = await this.commands.info('memory').catch((error: unknown) => {
      throw new Error(redisFault(error, this.#address.shown), { cause: error });
    });
    const policy = /^maxmemory_policy:(.*?)\s*$/m.exec(memory)?.[1] ?? 'noeviction';
    if (policy === 'noeviction') return;
    throw new Error(
      `Redis at ${this.#address.shown} may evict what the gateway keeps there (maxmemory-policy ${policy}); set its maxmemory-policy to noeviction.`,
    );
  }

  #planBeat(): void {
    if (this.#isClosed) return;
    this.#cancelBeat = systemTimer(() => void this.#beat(), this.#limits.beatMs);
  }

  async #beat(): Promise<void> {
    for (const [client, { isAsked }] of this.#clients) {
      const isIdle = isAsked && client !== this.commands && client.status === 'ready';
      // A connection without an answer breaks by its own limit, and its owner gets the error.
      if (isIdle) client.ping().catch(() => undefined);
    }
    const fault = await this.#claim();
    if (fault === null) this.#recover();
    else this.#report(fault);
    this.#planBeat();
  }

  /** Returns null when the server takes writes and the prefix belongs to this cluster, otherwise a sentence. */
  async #claim(): Promise<string | null> {
    const startedMs = performance.now();
    try {
      const fault = await claimPrefix(this.commands, this.key('cluster'), this.#options.cluster);
      this.#latencyMs = Math.round((performance.now() - startedMs) * 100) / 100;
      return fault && `Redis at ${this.#address.shown} ${fault}`;
    } catch (error) {
      return redisFault(error, this.#address.shown);
    }
  }

  #report(fault: string): void {
    if (this.#isClosed) return;
    if (this.#fault === null) {
      this.#options.onLost?.();
      this.#options.log.warn({ fault }, 'Redis is away; the gateway goes on without it');
    }
    this.#fault = fault;
  }

  #recover(): void {
    if (this.#fault !== null) this.#options.log.info({}, 'Redis is back');
    this.#fault = null;
  }
}
