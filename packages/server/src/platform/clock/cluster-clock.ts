import type { Clock } from '../../lib/clock.ts';
import { maxClockDifferenceMs } from './database-clock.ts';

/**
 * Throws when the clock of this machine and that of a server that all replicas share are too far apart. The time
 * that the question takes is not counted.
 */
export async function refuseOtherClock(
  askOther: () => Promise<number>,
  clock: Clock,
  other = 'the database',
): Promise<void> {
  const beforeMs = clock();
  const otherMs = await askOther();
  const afterMs = clock();
  const aheadMs = Math.max(beforeMs - otherMs, 0) - Math.max(otherMs - afterMs, 0);
  if (Math.abs(aheadMs) <= maxClockDifferenceMs) return;
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  throw new Error(
    `The clock of this machine is ${Math.round(Math.abs(aheadMs) / 1000)} s ${where} the clock of ${other}, and replicas may differ by ${maxClockDifferenceMs / 1000} s; set the clocks of both machines, for example with NTP.`,
  );
}
