import { tool } from '@langchain/core/tools';
import { runHandleOf } from '../run-contract/run-handle.ts';
import { keepFiles, nameFiles } from './external-files.ts';
import type { ExternalTool } from './external-tool.ts';
import { toolCallIdOf } from './tool-call-id.ts';
import type { Workspace } from './workspace.ts';

/** Files that the tools give go into the workspace; null when threads have no files. */
export function externalTools(tools: readonly ExternalTool[], workspace: Workspace | null) {
  return tools.map(({ name, description, inputSchema, call }) =>
    tool(
      async (input, config) => {
        const { text, files } = await call(input as Record<string, unknown>, config.signal);
        if (files.length === 0) return text;
        const whose = runHandleOf(config);
        const lines =
          workspace && whose
            ? await keepFiles(files, { tool: name, callId: toolCallIdOf(config), workspace, whose })
            : nameFiles(files);
        return [...(text === '' ? [] : [text]), ...lines].join('\n');
      },
      {
        name,
        description,
        schema: inputSchema,
        // Without it the model gets to know that something does not fit, but not what.
        verboseParsingErrors: true,
      },
    ),
  );
}
