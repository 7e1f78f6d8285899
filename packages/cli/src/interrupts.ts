import { CommandError, exitCodes } from './exit-codes.ts';
import { watchStopSignals } from './signals.ts';

/** Runs work that Ctrl-C aborts. A second Ctrl-C ends the process without waiting for it. */
export async function withInterrupts<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { stopRequested, release } = watchStopSignals(process, () => process.exit(exitCodes.cancelled.code));
  void stopRequested.then(() => controller.abort(new CommandError('cancelled', 'Stopped.')));
  try {
    return await work(controller.signal);
  } catch (error) {
    // Aborted work throws many kinds of errors.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    release();
  }
}
