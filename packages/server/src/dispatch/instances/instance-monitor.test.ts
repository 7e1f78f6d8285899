import { textOf } from '@switchyard/contract/sentences/sentences';
import { beforeEach, describe, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { ProbeOutcome } from '../worker-client/worker-client.ts';
import { InstanceMonitor } from './instance-monitor.ts';

const good: ProbeOutcome = { ok: true, latencyMs: 1, version: '0.3.64', devices: [], queueRemaining: 0 };
const refused: ProbeOutcome = { ok: false, latencyMs: 1, cause: 'refused', message: 'It refused.' };

let time: ManualTime;
let wall: ManualTime;
let outcome: ProbeOutcome | 'hangs';
let probes: number;
let freed: number;
let offered: string[];
let learned: string[][];
let monitor: InstanceMonitor;

beforeEach(() => {
  time = new ManualTime(0);
  wall = new ManualTime();
  outcome = good;
  probes = 0;
  freed = 0;
  offered = ['A'];
  learned = [];
  monitor = new InstanceMonitor({
    client: {
      probe: () => {
        probes += 1;
        const present = outcome;
        if (present !== 'hangs') return Promise.resolve(present);
        return new Promise((resolve) => {
          time.timer(() => resolve({ ...refused, message: 'It did not answer in time.' }), 2_000);
        });
      },
      capabilities: async () => ({
        nodeClasses: offered,
        outputClasses: [],
        models: {},
        inputs: {},
        told: { objectInfo: '{}', embeddings: [] },
      }),
      changedCapabilities: async () =>
        offered === learned.at(-1)
          ? null
          : {
              nodeClasses: offered,
              outputClasses: [],
              models: {},
              inputs: {},
              told: { objectInfo: '{}', embeddings: [] },
            },
      freeMemory: async () => {
        freed += 1;
      },
    },
    health: { interval: 5, timeout: 2, failures: 2 },
    clock: wall.now,
    steadyClock: time.now,
    timer: time.timer,
    onChange: () => undefined,
    onCapabilities: ({ nodeClasses }) => learned.push(nodeClasses),
    onHearing: () => undefined,
  });
});

/** Lets time pass in small steps, with a turn of the event loop after each. */
async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 10; step += 1) {
    time.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function start(): Promise<void> {
  monitor.start();
  await pass(0.1);
}

describe('liveness', () => {
  test('an instance is ready once it has answered and said what it can run', async () => {
    expect(monitor.isReady).toBe(false);
    await start();
    expect(monitor.isReady).toBe(true);
    expect(monitor.live).toMatchObject({ alive: true, version: '0.3.64', lastHeartbeatMs: wall.now() });
  });

  test('an instance is probed once each interval, whatever else happens', async () => {
    await start();
    await pass(50);
    expect(probes).toBe(11);
  });

  test('one missed probe is forgiven, two in a row are not', async () => {
    await start();
    outcome = refused;
    await pass(5);
    expect(monitor.live).toMatchObject({ alive: true, lastError: 'It refused.' });
    outcome = good;
    await pass(5);
    expect(monitor.live).toMatchObject({ alive: true, lastError: null });
    outcome = refused;
    await pass(10);
    expect(monitor.live).toMatchObject({ alive: false, lastError: 'It refused.' });
  });

  test('a lost socket causes a probe at once', async () => {
    await start();
    monitor.notice({ type: 'socket_closed' });
    expect(probes).toBe(2);
  });

  test.each([
    [5, 2],
    [1, 2],
  ])(
    'one that hangs counts as dead after two intervals and a timeout: %i s and %i s',
    async (interval, timeout) => {
      monitor.setHealthCheck({ interval, timeout, failures: 2 });
      await start();
      await pass(interval - 0.2);
      outcome = 'hangs';
      const hungAtMs = time.now();
      while (monitor.live.alive) await pass(0.1);
      expect(time.now() - hungAtMs).toBeLessThanOrEqual((2 * interval + timeout) * 1_000);
      expect(monitor.live.lastError).toBe('It did not answer in time.');
    },
  );

  test('a wall clock that is set forward by days, or back, makes no instance dead and no probe late', async () => {
    await start();
    wall.jump(3 * 86_400_000);
    await pass(10);
    wall.jump(-2 * 3_600_000);
    await pass(10);
    expect(monitor.live.alive).toBe(true);
    expect(probes).toBe(5);
  });

  test('an instance is not probed any more once its monitor is closed', async () => {
    await start();
    monitor.close();
    await pass(60);
    expect(probes).toBe(1);
    expect(time.nextTimerMs).toBeNull();
  });
});

describe('what an instance can run', () => {
  test('is asked again each minute, and stored when it has changed', async () => {
    await start();
    await pass(120);
    expect(learned).toEqual([['A']]);
    offered = ['A', 'B'];
    await pass(61);
    expect(learned).toEqual([['A'], ['A', 'B']]);
  });

  test('is asked as often as the health check says', async () => {
    monitor.setHealthCheck({ interval: 5, capabilitiesInterval: 10 });
    await start();
    offered = ['B'];
    await pass(16);
    expect(learned).toEqual([['A'], ['B']]);
  });

  test('is asked at once on request', async () => {
    await start();
    offered = ['B'];
    const refreshed = monitor.refreshCapabilities();
    await pass(1);
    expect(await refreshed).toBeNull();
    expect(learned).toEqual([['A'], ['B']]);
  });
});

describe('a deaf socket', () => {
  test('is shown until an execution was heard, even when the execution succeeded and probes are answered', async () => {
    await start();
    monitor.noteDeaf('Its event socket was silent.');
    monitor.noteSuccess();
    await pass(20);
    expect(monitor.live).toMatchObject({ alive: true, lastError: 'Its event socket was silent.' });
    expect(monitor.isReady).toBe(true);
    monitor.noteHearing();
    expect(monitor.live.lastError).toBeNull();
  });
});

describe('trouble', () => {
  test('three device errors in a row, of two users, take the instance out of use and make it free memory', async () => {
    await start();
    monitor.noteFault('Out of memory.', 'ann');
    monitor.noteFault('Out of memory.', 'ann');
    expect(monitor.isReady).toBe(true);
    monitor.noteFault('Out of memory.', 'bob');
    expect(monitor.isReady).toBe(false);
    expect(freed).toBe(1);
    await pass(14);
    expect(textOf(monitor.live.suspicion ?? '')).toContain('Out of memory.');
    await pass(2);
    expect(monitor.isReady).toBe(true);
  });

  test('device errors of a single user do not take the instance away from other users', async () => {
    await start();
    for (let fault = 0; fault < 20; fault += 1) monitor.noteFault('Out of memory.', 'ann');
    expect(monitor.isReady).toBe(true);
    expect(monitor.live.lastError).toBe('Out of memory.');
    monitor.noteSuccess();
    for (let fault = 0; fault < 2; fault += 1) monitor.noteFault('Out of memory.', 'bob');
    monitor.noteFault('Out of memory.', 'bob');
    expect(monitor.isReady).toBe(true);
  });

  test('errors of its machine keep the instance from the user who meets them, and from no other user', async () => {
    await start();
    for (let fault = 0; fault < 20; fault += 1) monitor.noteHostFault('No space left on device.', 'ann');
    expect(monitor.isReady).toBe(true);
    expect([monitor.restsFor('ann'), monitor.restsFor('bob')]).toEqual([true, false]);
    await pass(6);
    expect(monitor.live.lastError).toBe('No space left on device.');
    monitor.noteSuccess();
    expect(monitor.restsFor('ann')).toBe(false);
  });

  test('errors of its machine on tasks of two users take the instance out of use until a probe clears it', async () => {
    await start();
    monitor.noteHostFault('No space left on device.', 'ann');
    monitor.noteHostFault('No space left on device.', 'bob');
    expect(monitor.isReady).toBe(false);
    const { suspicion, lastError } = monitor.live;
    expect([suspicion, lastError].map((each) => textOf(each ?? ''))).toEqual([
      'Its machine failed the tasks of two users: No space left on device.',
      'Its machine failed the tasks of two users: No space left on device.',
    ]);
    await pass(31);
    expect(monitor.isReady).toBe(true);
    expect(monitor.restsFor('ann')).toBe(false);
  });

  test('a user whose tasks met errors of its machine is served again after the rest', async () => {
    await start();
    monitor.noteHostFault('No space left on device.', 'ann');
    await pass(14);
    expect(monitor.restsFor('ann')).toBe(true);
    await pass(2);
    expect(monitor.restsFor('ann')).toBe(false);
    expect(monitor.live.lastError).toBeNull();
  });

  test('the time out of use doubles each time, until an execution succeeds', async () => {
    await start();
    const suspectFor = async (): Promise<number> => {
      for (let fault = 0; fault < 3; fault += 1) monitor.noteFault('Out of memory.', `user ${fault}`);
      const startMs = time.now();
      while (!monitor.isReady) await pass(1);
      return Math.round((time.now() - startMs) / 15_000);
    };
    expect([await suspectFor(), await suspectFor(), await suspectFor()]).toEqual([1, 2, 4]);
    monitor.noteSuccess();
    expect(await suspectFor()).toBe(1);
  });

  test('an execution that hangs keeps the instance out of use for as long as the instance holds it', async () => {
    await start();
    monitor.notice({ type: 'queue_changed', queueRemaining: 1 });
    outcome = { ...good, queueRemaining: 1 };
    monitor.noteHang('It holds a run.');
    await pass(3_600);
    expect(monitor.live).toMatchObject({ suspicion: 'It holds a run.', lastError: 'It holds a run.' });
    outcome = good;
    await pass(5);
    expect(monitor.isReady).toBe(true);
  });

  test('an instance that comes back with an empty queue is trusted', async () => {
    await start();
    for (let fault = 0; fault < 3; fault += 1) monitor.noteFault('Device lost.', `user ${fault}`);
    outcome = refused;
    await pass(12);
    expect(monitor.live.alive).toBe(false);
    outcome = good;
    await pass(5);
    expect(monitor.isReady).toBe(true);
  });
});
