import { ToolInvocationError, toolErrorMiddleware } from 'langchain';
import { failureText } from './tool-failure.ts';

/** A tool that fails answers the model with a message; the turn goes on. Only a run that was stopped stops here. */
export function toolErrors(log: { warn(details: object, message: string): void }) {
  return toolErrorMiddleware({
    onError: (error, { toolCall, runtime }) => {
      // Bad arguments have a message of LangChain's own, which names them.
      if (runtime.signal?.aborted || ToolInvocationError.isInstance(error)) return undefined;
      log.warn({ err: error, tool: toolCall.name }, 'A tool failed');
      return failureText(toolCall.name, error);
    },
  });
}
