import type { UserTurns } from '../../../lib/async/user-turns.ts';
import { FileTrees, type FileTreesOptions } from './file-trees.ts';
import { globFilesTool } from './glob-files.ts';
import { grepFilesTool } from './grep-files.ts';
import { listFilesTool } from './list-files.ts';
import { presentFilesTool } from './present-files.ts';
import { readFileTool } from './read-file.ts';
import { replaceTextTool } from './replace-text.ts';
import { newSearchTurns } from './search-turns.ts';
import { writeFileTool } from './write-file.ts';

/** Returns the tools with which an agent works on the files of its thread. */
export function fileTools({
  searches = newSearchTurns(),
  ...files
}: FileTreesOptions & {
  /** Shared by all agents of a process, because their searches use the same processors. */
  searches?: UserTurns;
}) {
  const trees = new FileTrees(files);
  return [
    listFilesTool(trees),
    globFilesTool(trees),
    grepFilesTool(trees, searches),
    readFileTool(trees),
    writeFileTool(trees),
    replaceTextTool(trees),
    presentFilesTool(trees),
  ];
}
