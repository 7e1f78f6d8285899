import { tool } from '@langchain/core/tools';
import type { ExternalTool } from './external-tool.ts';

export function externalTools(tools: readonly ExternalTool[]) {
  return tools.map(({ name, description, inputSchema, call }) =>
    tool(async (input, config) => call(input as Record<string, unknown>, config.signal), {
      name,
      description,
      schema: inputSchema,
      // Without it the model is told that something does not fit, but not what.
      verboseParsingErrors: true,
    }),
  );
}
