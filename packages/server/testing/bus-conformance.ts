import { Type } from 'typebox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Bus, type BusEvent, busLimits, busTopic } from '../src/platform/bus/bus.ts';

export interface BusVariant {
  /** Two ends of one bus: two replicas, or the same object twice when there is only one process. */
  here: Bus;
  there: Bus;
  close(): Promise<void>;
}

/** A topic that takes any message. */
const open = (name: string) => busTopic(name, Type.Unknown());

/** The behaviour of every variant of the bus port. */
export function busConformance(name: string, makeVariant: () => Promise<BusVariant>): void {
  describe(`bus: ${name}`, () => {
    let variant: BusVariant;
    let stop: AbortController;

    beforeEach(async () => {
      variant = await makeVariant();
      stop = new AbortController();
    });
    afterEach(async () => {
      stop.abort();
      await variant.close();
    });

    const listen = async (topic: string, bus = variant.there) => {
      const events = await bus.subscribe(open(topic), { signal: stop.signal });
      return events[Symbol.asyncIterator]();
    };

    test('delivers a message to every subscriber of its topic, at both ends', async () => {
      const [near, far] = [await listen('tasks.queued', variant.here), await listen('tasks.queued')];
      await variant.here.publish(open('tasks.queued'), { id: 't1', nested: [1, null, 'x'] });
      const expected = { type: 'message', message: { id: 't1', nested: [1, null, 'x'] } };
      expect((await near.next()).value).toEqual(expected);
      expect((await far.next()).value).toEqual(expected);
    });

    test('keeps the order in which one publisher sent', async () => {
      const events = await listen('order');
      for (let i = 0; i < 50; i += 1) await variant.here.publish(open('order'), i);
      for (let i = 0; i < 50; i += 1)
        expect((await events.next()).value).toEqual({ type: 'message', message: i });
    });

    test('keeps topics apart', async () => {
      const events = await listen('a');
      await variant.here.publish(open('b'), 'not for a');
      await variant.here.publish(open('a'), 'for a');
      expect((await events.next()).value).toEqual({ type: 'message', message: 'for a' });
    });

    test('accepts a message that no one waits for', async () => {
      await variant.here.publish(open('nobody'), 'x');
      const events = await listen('nobody');
      await variant.here.publish(open('nobody'), 'y');
      expect((await events.next()).value).toEqual({ type: 'message', message: 'y' });
    });

    test('gives each subscriber its own copy', async () => {
      const [first, second] = [await listen('copies'), await listen('copies')];
      const sent = { list: [1] };
      await variant.here.publish(open('copies'), sent);
      sent.list.push(2);
      const mine = (await first.next()).value as Extract<BusEvent<unknown>, { type: 'message' }>;
      (mine.message as { list: number[] }).list.push(3);
      expect((await second.next()).value).toEqual({ type: 'message', message: { list: [1] } });
    });

    test('ends a waiting subscriber when its signal aborts', async () => {
      const events = await listen('quiet');
      const waiting = events.next();
      stop.abort();
      expect((await waiting).done).toBe(true);
    });

    test('gives nothing to a subscriber whose signal has aborted', async () => {
      stop.abort();
      const events = await listen('late');
      await variant.here.publish(open('late'), 'x');
      expect((await events.next()).done).toBe(true);
    });

    test('stops delivering once the loop is left', async () => {
      const events = await variant.there.subscribe(open('loop'), { signal: stop.signal });
      await variant.here.publish(open('loop'), 1);
      for await (const event of events) {
        expect(event).toEqual({ type: 'message', message: 1 });
        break;
      }
      await variant.here.publish(open('loop'), 2);
      expect((await events[Symbol.asyncIterator]().next()).done).toBe(true);
    });

    test('tells a subscriber that fell behind about the gap and continues with new messages', async () => {
      const events = await listen('flood');
      const witness = await listen('flood-end');
      for (let i = 0; i <= busLimits.queuedEvents; i += 1) await variant.here.publish(open('flood'), i);
      await variant.here.publish(open('flood-end'), 'done');
      await witness.next();
      expect((await events.next()).value).toEqual({ type: 'gap' });
      expect((await events.next()).value).toEqual({ type: 'message', message: busLimits.queuedEvents });
    });

    test('refuses a message that is too large, and an invalid topic', async () => {
      const tooLarge = 'x'.repeat(busLimits.messageBytes);
      await expect(variant.here.publish(open('large'), tooLarge)).rejects.toThrow(/65538 bytes/);
      expect(() => open('Not A Topic')).toThrow(/not a bus topic/);
      expect(() => open('*')).toThrow(/not a bus topic/);
    });

    test('ends its subscribers when it closes and refuses further use', async () => {
      const events = await listen('closing');
      const waiting = events.next();
      await variant.there.close();
      expect((await waiting).done).toBe(true);
      await expect(variant.there.publish(open('closing'), 1)).rejects.toThrow(/closed/);
      await expect(variant.there.subscribe(open('closing'), { signal: stop.signal })).rejects.toThrow(
        /closed/,
      );
    });
  });
}
