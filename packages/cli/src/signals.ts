import type { EventEmitter } from 'node:events';
import { newDeferred } from '@switchyard/server/lib/async/deferred';

type StopSignal = 'SIGINT' | 'SIGTERM';

/** The first SIGINT or SIGTERM asks for an orderly stop; the second ends the process at once. */
export function watchStopSignals(
  source: Pick<EventEmitter, 'on' | 'off'>,
  force: (signal: StopSignal) => void,
): { stopRequested: Promise<StopSignal>; release: () => void } {
  const requested = newDeferred<StopSignal>();
  let isStopping = false;
  const onSignal = (signal: StopSignal): void => {
    if (isStopping) force(signal);
    isStopping = true;
    requested.resolve(signal);
  };
  for (const name of ['SIGINT', 'SIGTERM']) source.on(name, onSignal);
  return {
    stopRequested: requested.promise,
    release: () => {
      for (const name of ['SIGINT', 'SIGTERM']) source.off(name, onSignal);
    },
  };
}
