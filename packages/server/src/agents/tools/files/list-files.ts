import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { requireRunHandle } from '../../run-contract/run-handle.ts';
import type { FileTrees } from './file-trees.ts';
import { ResultLines } from './result-lines.ts';
import { description, folderPath, withoutSlash } from './tool-arguments.ts';
import { entryLine, Walk, type WalkedEntry } from './walk-files.ts';

const limits = { entries: 1_000, timeMs: 5_000, depth: 2 };
const maxLines = 500;

/** Lists two levels at once, as a first look. */
export function listFilesTool(trees: FileTrees) {
  return tool(
    async ({ path }, config) => {
      const whose = requireRunHandle(config);
      const walk = new Walk({ list: (folder) => trees.list(whose, folder), limits, signal: config.signal });
      const lines = new ResultLines(maxLines);
      for await (const entry of walk.below(withoutSlash(path))) {
        if (!lines.add(datedLine(entry))) break;
      }
      const { stoppedBy } = walk;
      return lines.text({
        none: 'The folder is empty.',
        stoppedBy,
        hint: 'List one of its folders, or use glob.',
      });
    },
    {
      name: 'ls',
      description:
        'Lists a folder, two levels deep: files with their sizes and times, folders with a slash at the end.',
      schema: z.object({ description, path: folderPath }),
    },
  );
}

/** Includes the time, because names do not show which file is the newest. */
function datedLine(entry: WalkedEntry): string {
  return entryLine(entry, `, changed ${new Date(entry.modifiedMs).toISOString()}`);
}
