import { ToolInvocationError, toolErrorMiddleware } from 'langchain';
import type { Log } from '../../lib/log.ts';
import { failureText, ToolFailure } from './tool-failure.ts';

const maxReasonLength = 2_000;

/** Turns a failed tool into a message for the model, so the turn continues. Only the end of the run passes through. */
export function toolErrors(log: Pick<Log, 'warn'>) {
  return toolErrorMiddleware({
    onError: (error, { toolCall, runtime }) => {
      if (runtime.signal?.aborted) return undefined;
      // LangChain's own text would show the path of the code on the disk.
      if (ToolInvocationError.isInstance(error)) return failureText(toolCall.name, badArguments(error));
      log.warn({ err: error, tool: toolCall.name }, 'A tool failed');
      return failureText(toolCall.name, error);
    },
  });
}

function badArguments({ toolError }: ToolInvocationError): ToolFailure {
  const reason = toolError.message.slice(0, maxReasonLength);
  return new ToolFailure('invalid_arguments', `${reason}\nCorrect the arguments and try again.`);
}
