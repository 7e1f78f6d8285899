import { expect, test, vi } from 'vitest';
import { RunPulse } from './run-pulse.ts';

/** A stream whose frames the test sends, and a clock whose seconds it lets pass. */
function pulseOfTest() {
  const frames: (string | Error | null)[] = [];
  let wake: () => void = () => undefined;
  async function* follow(signal: AbortSignal) {
    while (!signal.aborted) {
      const next = frames.shift();
      if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else if (next === null) return;
      else if (next instanceof Error) throw next;
      else yield { event: next };
    }
  }
  const timers = new Set<() => void>();
  const read = vi.fn();
  const heard: boolean[] = [];
  const pulse = new RunPulse({
    follow,
    read,
    onHeard: (isHeard) => heard.push(isHeard),
    timer: (action) => {
      timers.add(action);
      return () => timers.delete(action);
    },
  });
  const secondPasses = () => {
    for (const action of [...timers]) if (timers.delete(action)) action();
  };
  const send = (frame: string | Error | null) => {
    frames.push(frame);
    wake();
  };
  return { pulse, read, heard, send, secondPasses, waiting: () => timers.size };
}

test('a run is read once a second while its stream brings frames, and not while it is silent', async () => {
  const { read, heard, send, secondPasses, waiting } = pulseOfTest();
  for (let count = 0; count < 50; count += 1) send('messages');
  await expect.poll(waiting).toBe(1);
  expect(read).not.toHaveBeenCalled();
  expect(heard).toEqual([true]);
  secondPasses();
  secondPasses();
  expect(read).toHaveBeenCalledTimes(2);
  secondPasses();
  expect(read).toHaveBeenCalledTimes(2);
  send('updates');
  await expect.poll(waiting).toBe(1);
  secondPasses();
  expect(read).toHaveBeenCalledTimes(3);
});

test('a page asks by the clock while the stream is cut off, after its end, and when it is refused', async () => {
  const cut = pulseOfTest();
  for (const frame of ['metadata', 'disconnected', 'messages', null]) cut.send(frame);
  await expect.poll(() => cut.heard).toEqual([true, false, true, false]);
  const refused = pulseOfTest();
  refused.send('metadata');
  refused.send(new Error('No such run.'));
  await expect.poll(() => refused.heard).toEqual([true, false]);
});

test('a page that is closed reads nothing more', async () => {
  const { pulse, read, heard, send, secondPasses, waiting } = pulseOfTest();
  send('messages');
  await expect.poll(waiting).toBe(1);
  pulse.close();
  send('messages');
  secondPasses();
  expect(read).not.toHaveBeenCalled();
  expect(heard).toEqual([true]);
});
