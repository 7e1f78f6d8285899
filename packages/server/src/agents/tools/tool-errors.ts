import { ToolInvocationError, toolErrorMiddleware } from 'langchain';
import { failureText, ToolFailure } from './tool-failure.ts';

const longestReason = 2_000;

/** A tool that fails answers the model with a message; the turn goes on. Only a run that was stopped stops here. */
export function toolErrors(log: { warn(details: object, message: string): void }) {
  return toolErrorMiddleware({
    onError: (error, { toolCall, runtime }) => {
      if (runtime.signal?.aborted) return undefined;
      // LangChain's own words for it show where on the disk the code lies.
      if (ToolInvocationError.isInstance(error)) return failureText(toolCall.name, badArguments(error));
      log.warn({ err: error, tool: toolCall.name }, 'A tool failed');
      return failureText(toolCall.name, error);
    },
  });
}

function badArguments({ toolError }: ToolInvocationError): ToolFailure {
  const reason = toolError.message.slice(0, longestReason);
  return new ToolFailure('invalid_arguments', `${reason}\nCorrect the arguments and try again.`);
}
