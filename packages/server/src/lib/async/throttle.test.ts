import { describe, expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { Throttle } from './throttle.ts';

describe('a throttle', () => {
  const start = () => {
    const time = new ManualTime();
    const done: string[] = [];
    const throttle = new Throttle({ intervalMs: 250, clock: time.now, timer: time.timer });
    return {
      time,
      done,
      run: (key: string, what: string) => throttle.run(key, () => done.push(what)),
      throttle,
    };
  };

  it('runs the first action at once, and the newest of the others when the interval is over', () => {
    const { time, done, run } = start();
    for (const what of ['a', 'b', 'c']) run('task', what);
    expect(done).toEqual(['a']);
    time.advance(249);
    expect(done).toEqual(['a']);
    time.advance(1);
    expect(done).toEqual(['a', 'c']);
  });

  it('throttles each key separately', () => {
    const { done, run } = start();
    run('one', 'a');
    run('two', 'b');
    expect(done).toEqual(['a', 'b']);
  });

  it('never runs an action that was forgotten', () => {
    const { time, done, run, throttle } = start();
    run('task', 'a');
    run('task', 'b');
    throttle.forget('task');
    time.advance(1_000);
    expect(done).toEqual(['a']);
  });
});
