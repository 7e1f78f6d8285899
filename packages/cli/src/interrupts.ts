import { CommandError, exitCodes } from './exit-codes.ts';
import { watchStopSignals } from './signals.ts';

/** Runs work that Ctrl-C calls off; once more, and the process ends without waiting for it. */
export async function withInterrupts<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { stopRequested, release } = watchStopSignals(process, () => process.exit(exitCodes.cancelled.code));
  void stopRequested.then(() => controller.abort(new CommandError('cancelled', 'Stopped.')));
  try {
    return await work(controller.signal);
  } catch (error) {
    // What was called off says so in many ways.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    release();
  }
}
