import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Adoption } from './adoption.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('Adoption', () => {
  it('wants to end when it never heard from a gateway', () => {
    const onOrphaned = vi.fn();
    new Adoption(60_000, onOrphaned).start();
    vi.advanceTimersByTime(59_999);
    expect(onOrphaned).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onOrphaned).toHaveBeenCalledOnce();
  });

  it('starts the wait again with each message of a gateway, and remembers which gateway sent it', () => {
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

  it('never ends when it has no wait, even after it was adopted', () => {
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
