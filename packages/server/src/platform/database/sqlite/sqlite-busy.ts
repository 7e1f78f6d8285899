import { setTimeout as sleep } from 'node:timers/promises';
import { isSqliteBusy } from '../database-errors.ts';

/** Another process, such as `switchyard reset-admin`, may hold the file for this long before we give up. */
export const patienceMs = 5_000;
const maxPauseMs = 25;

/** Tries again for as long as another process holds the file, without blocking the event loop. */
export async function retryWhileBusy<Result>(
  act: () => Result | Promise<Result>,
  waitMs = patienceMs,
): Promise<Result> {
  const giveUpAt = performance.now() + waitMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await act();
    } catch (error) {
      if (!isSqliteBusy(error) || performance.now() >= giveUpAt) throw error;
    }
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}
