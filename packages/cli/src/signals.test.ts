import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { watchStopSignals } from './signals.ts';

function watch() {
  const source = new EventEmitter();
  const forced: string[] = [];
  return { source, forced, ...watchStopSignals(source, (signal) => forced.push(signal)) };
}

describe('stop signals', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('take the first %s for a request', async (signal) => {
    const { source, forced, stopRequested } = watch();
    source.emit(signal, signal);
    expect(await stopRequested).toBe(signal);
    expect(forced).toEqual([]);
  });

  it('force an end with the second signal, whichever of the two it is', () => {
    const { source, forced } = watch();
    source.emit('SIGTERM', 'SIGTERM');
    source.emit('SIGINT', 'SIGINT');
    expect(forced).toEqual(['SIGINT']);
  });

  it('leave the process unchanged after release', () => {
    const { source, release } = watch();
    release();
    expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0);
  });
});
