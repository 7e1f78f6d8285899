import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { requireRunHandle } from '../../run-contract/run-handle.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { FileTrees } from './file-trees.ts';
import { maxFileBytes } from './text-content.ts';
import { description, filePath } from './tool-arguments.ts';

export function writeFileTool(trees: FileTrees) {
  return tool(
    async ({ path, content, append }, config) => {
      const run = requireRunHandle(config);
      const bytes = Buffer.from(content, 'utf8');
      requireFits(bytes.length);
      await run.beforeActing();
      if (!append) {
        await trees.write(run, path, bytes);
        return `Wrote ${bytes.length} bytes to ${path}.`;
      }
      let sizeBytes = 0;
      await trees.edit(run, path, {
        maxBytes: maxFileBytes,
        change: (present) => {
          sizeBytes = (present?.length ?? 0) + bytes.length;
          requireFits(sizeBytes);
          return Buffer.concat([present ?? Buffer.alloc(0), bytes]);
        },
      });
      return `Appended ${bytes.length} bytes to ${path}, which has ${sizeBytes} now.`;
    },
    {
      name: 'write_file',
      description:
        'Writes a text file below /mnt/user-data/workspace or /mnt/user-data/outputs; what was there is replaced. Folders on the way are made. Write what is long in parts, with append.',
      schema: z.object({
        description,
        path: filePath,
        content: z.string(),
        append: z.boolean().default(false).describe('Add to the end of what is there.'),
      }),
    },
  );
}

function requireFits(sizeBytes: number): void {
  if (sizeBytes <= maxFileBytes) return;
  throw new ToolFailure(
    'file_too_large',
    `A file that you write has at most ${maxFileBytes} bytes. Split it into several.`,
  );
}
