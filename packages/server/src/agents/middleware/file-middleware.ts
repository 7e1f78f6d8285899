import { ToolMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import type { Log } from '../../lib/log.ts';
import type { AnsweringModels } from '../models/answering-model.ts';
import type { FileTreesOptions } from '../tools/files/file-trees.ts';
import { uploadedFiles } from './uploaded-files.ts';
import { viewedImages } from './viewed-images.ts';

/** Returns the middleware of an agent that works with the files of its thread. */
export function fileMiddleware(
  files: FileTreesOptions,
  { models, log }: { models: AnsweringModels; log: Pick<Log, 'warn'> },
) {
  return [noShell(), uploadedFiles(files.workspace, log), viewedImages(models, files)] as const;
}

const shellName = 'bash';

const reason =
  'there is no shell here. The gateway does not keep commands apart from its own files and secrets, so it runs none. ' +
  'Use ls, glob, grep, read_file, write_file and str_replace for files, and workflows for work on pictures.';

/**
 * Explains to a model that there is no tool for commands. Models know such a tool from elsewhere and call it although it is not
 * offered.
 */
function noShell() {
  return createMiddleware({
    name: 'ShellMiddleware',
    wrapToolCall: (request, handler) => {
      const { toolCall, tool } = request;
      if (toolCall.name !== shellName || tool) return handler(request);
      return new ToolMessage({
        content: `Error: Tool '${shellName}' was refused: ${reason}`,
        tool_call_id: toolCall.id ?? '',
        name: shellName,
        status: 'error',
      });
    },
  });
}
