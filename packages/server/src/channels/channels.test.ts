import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualTime } from '../../testing/manual-time.ts';
import { readChannels } from '../config/channels.ts';
import { conversationMigrations } from '../conversation/migrations.ts';
import { MemoryCounters } from '../platform/counters/memory-counters.ts';
import type { Database } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrate.ts';
import { openDatabase } from '../platform/database/open.ts';
import type { NewJob } from '../platform/jobs/jobs.ts';
import { ownershipMigrations } from '../platform/ownership/migrations.ts';
import { Ownership } from '../platform/ownership/ownership.ts';
import type { OwnershipTables } from '../platform/ownership/tables.ts';
import type { Accept, Channel, InboundMessage } from './channel.ts';
import { ChannelRegistry } from './channel-registry.ts';
import { ChannelStore } from './channel-store.ts';
import { Channels } from './channels.ts';
import type { ChannelTables } from './tables.ts';

const configured = readChannels({
  bot: { type: 'telegram', token: '123456:ABCDEF-ghijklmnop_qrstuvwx', users: { '11': 'ada' } },
});

let opened: Database<unknown>;
let store: ChannelStore;
let time: ManualTime;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  opened = await openDatabase({ backend: 'memory' });
  await migrate(opened, 'ownership', ownershipMigrations);
  await migrate(opened, 'conversation', conversationMigrations);
  store = new ChannelStore(opened.withTables<ChannelTables>());
  time = new ManualTime();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await opened.close();
});

/** One replica. Its channel fetches until it is stopped, and records the function with which it hands messages in. */
function replica(leaseLifeMs?: number) {
  const refused: string[] = [];
  const added: NewJob[] = [];
  const receiving: { accept: Accept }[] = [];
  const channel = {
    name: 'bot',
    receive: async ({ accept }: { accept: Accept }, signal: AbortSignal) => {
      const mine = { accept };
      receiving.push(mine);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      receiving.splice(receiving.indexOf(mine), 1);
    },
    refuse: async (_chatId: string, text: string) => void refused.push(text),
  } as unknown as Channel;
  const ownership = new Ownership({
    database: opened.withTables<OwnershipTables>(),
    ...(leaseLifeMs !== undefined && { leaseLifeMs }),
  });
  const channels = new Channels({
    store,
    registry: new ChannelRegistry(configured, () => channel),
    findAccount: async (name) => (name === 'ada' ? { userId: 'ada-id' } : null),
    ownership,
    jobs: {
      register: () => {},
      enqueue: async () => {},
      wake: () => {},
      add: async (job) => void added.push(job),
    },
    counters: new MemoryCounters({ clock: time.now }),
    clock: time.now,
    timer: time.timer,
    log: { warn: () => {} },
  });
  closing.push(async () => {
    await channels.close();
    await ownership.close();
  });
  return { channels, refused, added, receiving };
}

function said(changes: Partial<InboundMessage> = {}): InboundMessage {
  return { messageId: 'm1', chatId: 'c1', sender: '11', text: 'hello', files: [], ...changes };
}

it('one replica fetches, and the next one takes over when it ends', async () => {
  // The second replica looks again when the lease would end.
  const [one, other] = [replica(2_000), replica(2_000)];
  await one.channels.start();
  await expect.poll(() => one.receiving.length).toBe(1);
  await other.channels.start();
  expect(other.receiving).toHaveLength(0);
  await one.channels.close();
  await expect.poll(() => other.receiving.length).toBe(1);
  expect(one.receiving).toHaveLength(0);
});

it('a restart fetches again, by one connection', async () => {
  const { channels, receiving } = replica();
  await expect(channels.restart('bot')).rejects.toMatchObject({ code: 'channels_not_running' });
  await channels.start();
  await expect.poll(() => receiving.length).toBe(1);
  const [first] = receiving;
  await channels.restart('bot');
  await expect.poll(() => receiving.length).toBe(1);
  expect(receiving[0]).not.toBe(first);
});

it('a stranger is told once a day, all strangers together twenty times a minute', async () => {
  const { channels, refused, receiving } = replica();
  await channels.start();
  await expect.poll(() => receiving.length).toBe(1);
  const accept = receiving[0]?.accept ?? (async () => {});
  for (let index = 0; index < 3; index += 1) await accept(said({ messageId: `a${index}`, sender: '99' }));
  expect(refused).toEqual(['You may not use this assistant. Ask the administrator to allow the user 99.']);
  for (let index = 0; index < 50; index += 1)
    await accept(said({ messageId: `b${index}`, sender: `x${index}` }));
  expect(refused).toHaveLength(20);
  expect(await store.waiting('bot')).toBe(0);
});

it('a message that a full channel refuses comes again, and a full chat is told so', async () => {
  const { channels, refused, receiving } = replica();
  await channels.start();
  await expect.poll(() => receiving.length).toBe(1);
  const accept = receiving[0]?.accept ?? (async () => {});
  for (let index = 0; index < 22; index += 1) await accept(said({ messageId: `a${index}` }));
  expect(refused).toEqual(['Too many of your messages wait. Send this one again later.']);
  expect(await store.waiting('bot')).toBe(20);
  for (let index = 20; index < 1_000; index += 1) {
    await accept(said({ messageId: `b${index}`, chatId: `chat ${Math.floor(index / 20)}` }));
  }
  await expect(accept(said({ messageId: 'c', chatId: 'another' }))).rejects.toMatchObject({
    code: 'channel_busy',
  });
});

it('words that no database accepts are stored as far as possible', async () => {
  const { channels } = replica();
  const found = channels.find('bot');
  if (!found) throw new Error('The channel is configured.');
  await channels.accept(found, said({ text: 'a\0b\ud800c' }));
  expect(await store.accepted('bot', 'c1', 1)).toMatchObject([
    { text: 'a\ufffdb\ufffdc', user_id: 'ada-id' },
  ]);
});

it('the sweep starts forgotten messages, skips those that may wait for their next attempt, and gives up in the end', async () => {
  const { channels, added } = replica();
  const found = channels.find('bot');
  if (!found) throw new Error('The channel is configured.');
  await channels.accept(found, said());
  await channels.sweep();
  expect(added).toEqual([]);
  time.advance(3 * 60 * 60 * 1000);
  await channels.sweep();
  expect(added).toMatchObject([{ kind: 'channels.intake', payload: { channel: 'bot', chatId: 'c1' } }]);
  time.advance(8 * 24 * 60 * 60 * 1000);
  await channels.sweep();
  expect(await store.waiting('bot')).toBe(0);
  expect(added).toHaveLength(1);
});
