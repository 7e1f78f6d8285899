import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Adoption } from './adoption.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('Adoption', () => {
  it('wants to end when no gateway was heard of at all', () => {
    const onOrphaned = vi.fn();
    new Adoption(60_000, onOrphaned).start();
    vi.advanceTimersByTime(59_999);
    expect(onOrphaned).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onOrphaned).toHaveBeenCalledOnce();
  });

  it('starts the wait again with each word of a gateway, and remembers whose it was', () => {
    const onOrphaned = vi.fn();
    const adoption = new Adoption(60_000, onOrphaned);
    adoption.start();
    vi.advanceTimersByTime(50_000);
    adoption.heardFrom('gateway-1');
    vi.advanceTimersByTime(50_000);
    adoption.heardFrom('gateway-2');
    vi.advanceTimersByTime(59_999);
    expect(onOrphaned).not.toHaveBeenCalled();
    expect(adoption.gateway).toBe('gateway-2');
    vi.advanceTimersByTime(1);
    expect(onOrphaned).toHaveBeenCalledOnce();
  });

  it('never ends without a wait, even after it was adopted', () => {
    const onOrphaned = vi.fn();
    const adoption = new Adoption(undefined, onOrphaned);
    adoption.start();
    adoption.heardFrom('gateway');
    vi.advanceTimersByTime(1e9);
    expect(onOrphaned).not.toHaveBeenCalled();
  });

  it('stops waiting when it is closed', () => {
    const onOrphaned = vi.fn();
    const adoption = new Adoption(60_000, onOrphaned);
    adoption.start();
    adoption.close();
    vi.advanceTimersByTime(1e9);
    expect(onOrphaned).not.toHaveBeenCalled();
  });
});
