import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { requireRunHandle } from '../../run-contract/run-handle.ts';
import { ToolFailure } from '../tool-failure.ts';
import { type FileTrees, shown } from './file-trees.ts';
import { isExactText, maxFileBytes } from './text-content.ts';
import { description, filePath } from './tool-arguments.ts';

interface Replacement {
  path: string;
  old: string;
  new: string;
  all: boolean;
}

export function replaceTextTool(trees: FileTrees) {
  return tool(
    async ({ path, old_str, new_str, replace_all }, config) => {
      const run = requireRunHandle(config);
      const replacement = { path, old: old_str, new: new_str, all: replace_all };
      let count = 0;
      await run.beforeActing();
      await trees.edit(run, path, {
        maxBytes: maxFileBytes,
        change: (present) => {
          const text = textIn(present, path);
          count = countToReplace(text, replacement);
          return Buffer.from(text.split(old_str).join(new_str), 'utf8');
        },
      });
      return count === 1 ? `Replaced it in ${path}.` : `Replaced ${count} in ${path}.`;
    },
    {
      name: 'str_replace',
      description:
        'Replaces a text in a file below /mnt/user-data/workspace or /mnt/user-data/outputs. It must occur exactly once, or replace_all be set.',
      schema: z.object({
        description,
        path: filePath,
        old_str: z.string().min(1).describe('Exactly as it stands in the file, white space included.'),
        new_str: z.string(),
        replace_all: z.boolean().default(false),
      }),
    },
  );
}

function textIn(present: Buffer | null, path: string): string {
  if (!present) {
    throw new ToolFailure('file_not_found', `There is no file ${shown(path)}. Make it with write_file.`);
  }
  if (isExactText(present)) return present.toString('utf8');
  throw new ToolFailure('not_text', `${shown(path)} is not text in UTF-8 and cannot be changed in part.`);
}

/**
 * Checked before the new text is built: replacing a short text that occurs often by a long one could make a file without limit.
 */
function countToReplace(text: string, { path, old, new: replacement, all }: Replacement): number {
  const count = text.split(old).length - 1;
  if (count === 0) {
    throw new ToolFailure(
      'text_not_found',
      `old_str does not occur in ${shown(path)}. Read the file and copy the text exactly.`,
    );
  }
  if (count > 1 && !all) {
    throw new ToolFailure(
      'text_not_unique',
      `old_str occurs ${count} times in ${shown(path)}. Give more of what is around it, or set replace_all.`,
    );
  }
  const grownBytes = count * (Buffer.byteLength(replacement) - Buffer.byteLength(old));
  if (Buffer.byteLength(text) + grownBytes > maxFileBytes) {
    throw new ToolFailure('file_too_large', `A file that you write has at most ${maxFileBytes} bytes.`);
  }
  return count;
}
