import { expect, it } from 'vitest';
import { ManualTime } from '../../testing/manual-time.ts';
import { MemoryStreamLog } from '../platform/stream-log/memory-stream-log.ts';
import { defaultStreamLogLimits } from '../platform/stream-log/stream-log.ts';
import { type Channel, DeliveryError, type Preview } from './channel.ts';
import { LiveReplies } from './live-replies.ts';
import type { ChannelMessageRow } from './tables.ts';

const row = { id: 'm1', run_id: 'r1', chat_id: 'c1', channel: 'bot' } as ChannelMessageRow;

function setUp(answer: (preview: Preview) => Promise<string>) {
  const time = new ManualTime();
  const streamLog = new MemoryStreamLog({ limits: defaultStreamLogLimits });
  const previews: Preview[] = [];
  const noted: (readonly string[])[] = [];
  const warnings: string[] = [];
  const live = new LiveReplies({
    streamLog,
    noteSent: async (_id, sent) => void noted.push(sent),
    timer: time.timer,
    log: { warn: (_details, message) => void warnings.push(message) },
  });
  const channel = {
    name: 'bot',
    previewEveryMs: 1_000,
    preview: async (preview: Preview) => {
      previews.push(preview);
      return answer(preview);
    },
  } as unknown as Channel;
  streamLog.begin('r1', { base: 0 });
  live.follow(row, channel);
  const says = (content: string, { id = 'a1', tags = [] as string[], type = 'AIMessageChunk' } = {}) =>
    streamLog.append('r1', 'messages', JSON.stringify([{ type, id, content }, { tags }]));
  const pass = async (ms: number) => {
    await settled();
    time.advance(ms);
    await settled();
  };
  return { time, streamLog, previews, noted, warnings, live, says, pass };
}

/** Waits until everything has run that only waits for its turn. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

const texts = (previews: Preview[]) => previews.map(({ text }) => text);

it('shows the newest text, at most once an interval, in one message', async () => {
  const { previews, noted, says, pass, live } = setUp(async () => '77');
  says('One');
  says(' two');
  await pass(999);
  expect(previews).toEqual([]);
  await pass(1);
  expect(previews).toEqual([{ chatId: 'c1', text: 'One two …', sentId: null }]);
  expect(noted).toEqual([['77']]);
  for (const word of [' three', ' four', ' five']) says(word);
  await pass(1_000);
  expect(previews.slice(1)).toEqual([{ chatId: 'c1', text: 'One two three four five …', sentId: '77' }]);
  await pass(10_000);
  expect(previews).toHaveLength(2);
  await live.close();
});

it('shows no titles, sub-agents or tools, and only the message that is being written', async () => {
  const { previews, says, pass, live } = setUp(async () => '77');
  says('A title', { id: 't', tags: ['middleware:title'] });
  says('inner thoughts', { id: 's', tags: ['subagent:writer'] });
  says('result', { id: 'x', type: 'tool' });
  await pass(5_000);
  expect(previews).toEqual([]);
  says('Let me look.', { id: 'a1' });
  says('Found it.', { id: 'a2' });
  await pass(1_000);
  expect(texts(previews)).toEqual(['Found it. …']);
  await live.close();
});

it('leaves a channel alone for as long as it asks for', async () => {
  let isBusy = true;
  const { previews, says, pass, live } = setUp(async () => {
    if (isBusy) throw new DeliveryError('slow down', { retryAfterMs: 30_000 });
    return '77';
  });
  says('One');
  await pass(1_000);
  expect(previews).toHaveLength(1);
  says(' two');
  await pass(29_000);
  expect(previews).toHaveLength(1);
  isBusy = false;
  await pass(1_000);
  await pass(1_000);
  expect(texts(previews)).toEqual(['One …', 'One two …']);
  await live.close();
});

it('stops showing after any other failure, and says so once', async () => {
  const { previews, warnings, says, pass } = setUp(async () => {
    throw new DeliveryError('blocked', { isFinal: true });
  });
  says('One');
  await pass(1_000);
  says(' two');
  await pass(10_000);
  expect(previews).toHaveLength(1);
  expect(warnings).toEqual(['An answer is not shown while it is written']);
});

it('is finished only when what it has begun to send is out, and shows nothing afterwards', async () => {
  let answer: (id: string) => void = () => undefined;
  const { previews, noted, says, pass, live } = setUp(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  says('One');
  await pass(1_000);
  let isFinished = false;
  const finishing = live.finish('m1').then(() => {
    isFinished = true;
  });
  await settled();
  expect(isFinished).toBe(false);
  answer('77');
  await finishing;
  expect(noted).toEqual([['77']]);
  says(' two');
  await pass(10_000);
  expect(previews).toHaveLength(1);
});

it('handles half a character at the end of a piece', async () => {
  const { previews, says, pass, live } = setUp(async () => '77');
  says('smile \ud83d');
  await pass(1_000);
  expect(texts(previews)).toEqual(['smile \ufffd …']);
  await live.close();
});
