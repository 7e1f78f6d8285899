/**
 * One of many gateways that start at once on the same data home. It reports the result, and stays until it is ended.
 */
import { acquireHomeLock } from '../src/platform/home-lock.ts';

const { home }: { home: string } = JSON.parse(process.argv[2] ?? '');

try {
  await acquireHomeLock(home);
  process.send?.({ pid: process.pid, refusal: null });
} catch (error) {
  process.send?.({ pid: process.pid, refusal: String(error) });
}
// The channel to the parent keeps the process alive. When it closes, the process ends.
process.on('disconnect', () => process.exit());
