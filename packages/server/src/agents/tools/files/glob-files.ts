import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { requireRunHandle } from '../../run-contract/run-handle.ts';
import type { FileTrees } from './file-trees.ts';
import { globMatcher } from './glob-pattern.ts';
import { ResultLines } from './result-lines.ts';
import { description, folderPath, withoutSlash } from './tool-arguments.ts';
import { entryLine, Walk } from './walk-files.ts';

const limits = { entries: 20_000, timeMs: 5_000, depth: 32 };
const maxResults = 1_000;
const usualResults = 200;

export function globFilesTool(trees: FileTrees) {
  return tool(
    async ({ pattern, path, include_dirs: withFolders, max_results: max }, config) => {
      const whose = requireRunHandle(config);
      const matches = globMatcher(pattern);
      const walk = new Walk({ list: (folder) => trees.list(whose, folder), limits, signal: config.signal });
      const lines = new ResultLines(max);
      for await (const entry of walk.below(withoutSlash(path))) {
        if (entry.kind === 'folder' && !withFolders) continue;
        if (matches(entry.relativePath) && !lines.add(entryLine(entry))) break;
      }
      return lines.text({
        none: 'No file fits the pattern.',
        stoppedBy: walk.stoppedBy,
        hint: 'Narrow the path or the pattern.',
      });
    },
    {
      name: 'glob',
      description:
        'Finds files by their names below a folder: *.md at any depth, reports/**/*.csv, *.{png,jpg}. Paths in the pattern begin at the folder.',
      schema: z.object({
        description,
        pattern: z.string().min(1),
        path: folderPath,
        include_dirs: z.boolean().default(false).describe('Folders too.'),
        max_results: z.number().int().min(1).max(maxResults).default(usualResults),
      }),
    },
  );
}
