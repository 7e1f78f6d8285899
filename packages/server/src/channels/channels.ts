import type { ChannelList } from '@switchyard/contract/conversation/channel';
import { AppError } from '../lib/app-error.ts';
import { sleepWithSignal } from '../lib/async/sleep-with-signal.ts';
import { toIso } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { storable } from '../lib/storable-text.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '../lib/time-units.ts';
import type { Counters } from '../platform/counters/counters.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import type { Channel, InboundMessage } from './channel.ts';
import { intakeJob, intakeKind, replyJob } from './channel-jobs.ts';
import type { ChannelParts } from './channel-parts.ts';
import type { ConfiguredChannel } from './channel-registry.ts';
import { accountOfSender } from './channel-senders.ts';
import { keepMessagesMs } from './channel-store.ts';

const waitingLimits = { ofChat: 20, ofChannel: 1_000 };
const maxTextLength = 32_000;
const maxFiles = 10;
const maxSwept = 1_000;
/** Longer than any delay between two attempts. */
const quietMs = 3 * hourMs;
const afterFaultMs = 5 * secondMs;
/**
 * A stranger gets an answer once a day. All strangers of a channel together get a limited number of them, so that they cannot
 * keep the gateway busy.
 */
const refusals = { one: { limit: 1, windowMs: dayMs }, all: { limit: 20, windowMs: minuteMs } };

/** The channels of this gateway. A message is stored once, and a single replica fetches for each channel. */
export class Channels {
  readonly #options;
  readonly #polling = new Map<string, { stop: AbortController; ended: Promise<void> }>();
  readonly #errors = { in: new Map<string, string>(), out: new Map<string, string>() };
  #isRunning = false;

  constructor(
    options: Pick<ChannelParts, 'store' | 'registry' | 'findAccount' | 'jobs' | 'clock' | 'timer' | 'log'> & {
      ownership: Pick<Ownership, 'hold'>;
      counters: Pick<Counters, 'countCall'>;
    },
  ) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.sweep({ untouchedMs: 0 });
    this.#isRunning = true;
    for (const found of this.#options.registry.all()) this.#poll(found);
  }

  async close(): Promise<void> {
    this.#isRunning = false;
    await Promise.all([...this.#polling.keys()].map((name) => this.#stopPolling(name)));
  }

  async list(): Promise<ChannelList> {
    const { registry, store } = this.#options;
    const channels: ChannelList['channels'] = {};
    for (const { name, type, enabled } of registry.configured) {
      channels[name] = {
        type,
        enabled,
        running: this.#isRunning && enabled,
        error: this.#errors.in.get(name) ?? this.#errors.out.get(name) ?? null,
        waiting: await store.waiting(name),
      };
    }
    return { service_running: this.#isRunning, channels };
  }

  /** Restarts only the fetching of messages; answers that are under way continue. */
  async restart(name: string): Promise<{ success: boolean; message: string }> {
    const { registry } = this.#options;
    if (!this.#isRunning) throw new AppError('channels_not_running');
    if (!registry.configured.some((channel) => channel.name === name)) throw notFound(name);
    const found = registry.get(name);
    if (!found) return { success: false, message: `Failed to restart channel ${name}` };
    await this.#stopPolling(name);
    this.#errors.in.delete(name);
    this.#poll(found);
    return { success: true, message: `Channel ${name} restarted successfully` };
  }

  /** Also works before the start and during the shutdown, because stored messages are answered later. */
  find(name: string): ConfiguredChannel | undefined {
    return this.#options.registry.get(name);
  }

  /** Resolves once the message is on disk. Throws for a sender who is not let in, and while too many messages wait. */
  async accept(
    { config, channel }: ConfiguredChannel,
    message: InboundMessage,
  ): Promise<'accepted' | 'duplicate'> {
    const { store, jobs, findAccount, clock } = this.#options;
    const userId = await accountOfSender(config, message.sender, findAccount);
    if (userId === null) throw new AppError('channel_sender_denied');
    const at = toIso(clock());
    const acceptance = await store.accept(
      { user: userId },
      {
        id: newId(),
        channel: channel.name,
        message_id: message.messageId,
        chat_id: message.chatId,
        sender: message.sender,
        user_id: userId,
        text: storable(message.text).slice(0, maxTextLength),
        files: JSON.stringify(message.files.slice(0, maxFiles)),
        status: 'accepted',
        thread_id: null,
        run_id: null,
        reply: null,
        sent: '[]',
        attempts: 0,
        error: null,
        created_at: at,
        updated_at: at,
        closed_at: null,
      },
      {
        limits: waitingLimits,
        alongside: (trx) => jobs.enqueue(trx, intakeJob(channel.name, message.chatId)),
      },
    );
    if (acceptance === 'chat_full' || acceptance === 'channel_full') {
      throw new AppError('channel_busy', { retryAfterSeconds: 30, details: { full: acceptance } });
    }
    if (acceptance === 'accepted') jobs.wake(intakeKind);
    return acceptance;
  }

  /**
   * Gives messages that a crash or a switched-off channel left behind their job again, except those that may still wait for their
   * next attempt. Messages that are too old are forgotten.
   */
  async sweep({ untouchedMs = quietMs }: { untouchedMs?: number } = {}): Promise<void> {
    const { store, jobs, registry, clock } = this.#options;
    const tooOld = toIso(clock() - keepMessagesMs);
    await store.forgetClosedBefore(tooOld);
    const untouched = { before: toIso(clock() - untouchedMs), limit: maxSwept };
    for (const row of await store.open(untouched)) {
      if (row.created_at < tooOld) {
        const at = toIso(clock());
        await store.close(row.id, { status: 'failed', error: 'It was not answered in time.', at });
      } else if (!registry.get(row.channel)) continue;
      else if (row.status === 'accepted') await jobs.add(intakeJob(row.channel, row.chat_id));
      else await jobs.add(replyJob(row));
    }
  }

  /** Records how the last attempt went: to take messages in, or to send answers out. */
  report(name: string, way: 'in' | 'out', error: string | null): void {
    if (error === null) this.#errors[way].delete(name);
    else this.#errors[way].set(name, error);
  }

  #poll(found: ConfiguredChannel): void {
    const { receive, name } = found.channel;
    if (!receive) return;
    const stop = new AbortController();
    const { signal } = stop;
    const handlers = {
      accept: (message: InboundMessage) => this.#take(found, message, signal),
      report: (error: string | null) => this.report(name, 'in', error),
    };
    this.#polling.set(name, { stop, ended: this.#hold(name, (inner) => receive(handlers, inner), signal) });
  }

  async #stopPolling(name: string): Promise<void> {
    const polling = this.#polling.get(name);
    if (!polling) return;
    this.#polling.delete(name);
    polling.stop.abort(new Error('The channel stops.'));
    await polling.ended;
  }

  /** Holds the channel for one replica at a time; the next one takes over when this one stops or dies. */
  async #hold(
    name: string,
    work: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { ownership, timer, log } = this.#options;
    while (!signal.aborted) {
      try {
        await ownership.hold(`channel:${name}`, (lease) => work(lease.signal), { signal });
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error, channel: name }, 'A channel stopped and is started again');
        await sleepWithSignal(afterFaultMs, { signal, timer }).catch(() => undefined);
      }
    }
  }

  /** Takes in a message that the channel fetched. A refusal is sent to the chat; a message that cannot be stored comes again. */
  async #take(found: ConfiguredChannel, message: InboundMessage, signal: AbortSignal): Promise<void> {
    try {
      await this.accept(found, message);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'channel_sender_denied') {
        const who = `Ask the administrator to allow the user ${message.sender}.`;
        return this.#refuse(found.channel, message, `You may not use this assistant. ${who}`);
      }
      const isOneChat = (error.details as { full?: string } | undefined)?.full === 'chat_full';
      if (error.code !== 'channel_busy' || !isOneChat) throw error;
      await this.#refuse(
        found.channel,
        message,
        'Too many of your messages wait. Send this one again later.',
      );
    }
  }

  async #refuse({ name, refuse }: Channel, { sender, chatId }: InboundMessage, text: string): Promise<void> {
    const { counters, log } = this.#options;
    if (!refuse) return;
    const one = await counters.countCall(`channel:${name}:refused:${sender}:${text}`, refusals.one);
    if (!one.allowed || !(await counters.countCall(`channel:${name}:refused`, refusals.all)).allowed) return;
    try {
      await refuse(chatId, text);
    } catch (error) {
      log.warn(
        { err: error, channel: name },
        'A stranger could not be told that they may not use the channel',
      );
    }
  }
}

function notFound(name: string): AppError {
  return new AppError('channel_not_found', { message: `Channel '${name}' not found` });
}
