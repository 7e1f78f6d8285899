import type { Log } from '../../lib/log.ts';
import type { AnsweringModels } from '../models/answering-model.ts';
import type { FileTreesOptions } from '../tools/files/file-trees.ts';
import { noShell } from './no-shell.ts';
import { uploadedFiles } from './uploaded-files.ts';
import { viewedImages } from './viewed-images.ts';

/** Returns the middleware of an agent that works with the files of its thread. */
export function fileMiddleware(
  files: FileTreesOptions,
  { models, log }: { models: AnsweringModels; log: Pick<Log, 'warn'> },
) {
  return [noShell(), uploadedFiles(files.workspace, log), viewedImages(models, files)] as const;
}
