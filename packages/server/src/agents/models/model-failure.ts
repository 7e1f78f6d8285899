import { AIMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { causesOf, WordedError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import { runHandleOf } from '../run-contract/run-handle.ts';
import { failureKey } from '../run-contract/run-marks.ts';
import { wireError } from '../state/wire-values.ts';
import { mustStop } from './answering-model.ts';
import { type RetryReason, retryReason } from './retry-rules.ts';

/**
 * Adds an apology to the conversation when a model gives no answer, so that the user's question does not stand there alone. The
 * run still fails: the message holds the reason for the code that ends the run.
 */
export function modelFailure(log: Pick<Log, 'warn'>) {
  return createMiddleware({
    name: 'ModelFailureMiddleware',
    wrapModelCall: async (request, handler) => {
      try {
        return await handler(request);
      } catch (error) {
        const run = runHandleOf(request.runtime);
        if (!run || mustStop(error, request.runtime.signal)) throw error;
        log.warn({ err: error, runId: run.runId }, 'A model gave no answer');
        const { name } = wireError(error);
        // Clients of providers say no more than that the connection failed; what they wrap may know why.
        const { message } = wireError(causesOf(error).find((cause) => cause instanceof WordedError) ?? error);
        return new AIMessage({
          content: `I am sorry, I cannot answer: ${reasons[retryReason(error) ?? 'other']}. Please try again.`,
          additional_kwargs: { [failureKey]: { run_id: run.runId, name, message } },
        });
      }
    },
  });
}

const reasons: Record<RetryReason | 'other', string> = {
  rate_limited: 'the model has too much to do',
  unavailable: 'the model is not available now',
  connection: 'the model cannot be reached',
  other: 'the model has failed',
};
