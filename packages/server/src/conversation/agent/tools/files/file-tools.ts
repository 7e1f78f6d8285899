import { FileTrees, type FileTreesOptions } from './file-trees.ts';
import { globFilesTool } from './glob-files.ts';
import { grepFilesTool } from './grep-files.ts';
import { listFilesTool } from './list-files.ts';
import { presentFilesTool } from './present-files.ts';
import { readFileTool } from './read-file.ts';
import { replaceTextTool } from './replace-text.ts';
import { writeFileTool } from './write-file.ts';

/** What an agent does with the files of its thread. */
export function fileTools(options: FileTreesOptions) {
  const trees = new FileTrees(options);
  return [
    listFilesTool(trees),
    globFilesTool(trees),
    grepFilesTool(trees),
    readFileTool(trees),
    writeFileTool(trees),
    replaceTextTool(trees),
    presentFilesTool(trees),
  ];
}
