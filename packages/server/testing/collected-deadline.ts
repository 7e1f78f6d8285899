/** Waits for a deadline while garbage is collected, and prints why it ended. Needs `--expose-gc`. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deadline } from '../src/lib/async/deadline.ts';

const waiting = reasonOf(deadline(200, new AbortController().signal).signal);
// Whether an object is collected is decided after the turn in which it was used.
for (let turn = 0; turn < 5; turn += 1) {
  await nextTurn();
  globalThis.gc?.();
}
// The timer of a deadline does not keep a process alive.
const alive = setInterval(() => undefined, 1_000);
process.stdout.write(`${(await waiting).name}\n`);
clearInterval(alive);

function reasonOf(signal: AbortSignal): Promise<Error> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
}
