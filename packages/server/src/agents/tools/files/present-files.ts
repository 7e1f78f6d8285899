import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command } from '@langchain/langgraph';
import { z } from 'zod';
import { requireRunHandle } from '../../run-contract/run-handle.ts';
import { toolCallIdOf } from '../tool-call-id.ts';
import { ToolFailure } from '../tool-failure.ts';
import { type FileTrees, outputsPath, shown } from './file-trees.ts';

const name = 'present_files';
const maxAtOnce = 50;

export function presentFilesTool(trees: FileTrees) {
  return tool(
    async ({ filepaths }, config) => {
      const whose = requireRunHandle(config);
      for (const path of filepaths) {
        requireOutput(path);
        await trees.read(whose, path, 0);
      }
      const message = new ToolMessage({
        content: 'Successfully presented files',
        tool_call_id: toolCallIdOf(config),
        name,
        status: 'success',
      });
      return new Command({ update: { artifacts: filepaths, messages: [message] } });
    },
    {
      name,
      description:
        'Shows files to the user, who can open and save them. They must be below /mnt/user-data/outputs; do it last, when they are finished.',
      schema: z.object({ filepaths: z.array(z.string()).min(1).max(maxAtOnce) }),
    },
  );
}

function requireOutput(path: string): void {
  if (path.startsWith(`${outputsPath}/`)) return;
  throw new ToolFailure(
    'path_denied',
    `Only files below ${outputsPath} are presented, and ${shown(path)} is not. Write it there first.`,
  );
}
