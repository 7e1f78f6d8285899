import type { DispatchParts } from '../dispatch-parts.ts';
import type { NodeInputStore } from '../instances/node-input-store.ts';
import type { ShareStore } from '../shares/share-store.ts';
import { FileListStore } from './file-list-store.ts';
import { FileMarkStore } from './file-mark-store.ts';
import { FileModelStore } from './file-model-store.ts';
import { fileRoutes } from './file-routes.ts';
import { OwnFiles } from './own-files.ts';
import { PictureWork } from './picture-work.ts';
import { StoredFileStore } from './stored-file-store.ts';
import { StoredFiles } from './stored-files.ts';
import { StoredPictures } from './stored-pictures.ts';
import { Thumbnails } from './thumbnails.ts';

export function createFiles(
  parts: Pick<
    DispatchParts,
    'database' | 'content' | 'thumbnails' | 'events' | 'links' | 'audit' | 'guard' | 'clock' | 'options'
  > & { nodeInputs: NodeInputStore; shares: ShareStore },
) {
  const { database, content, thumbnails, nodeInputs, options } = parts;
  const store = new StoredFileStore(database);
  const models = new FileModelStore(database);
  const lists = new FileListStore(database);
  const files = new StoredFiles({ ...parts, store, lists, models, ...options });
  const ownFiles = new OwnFiles({ files: store, nodeInputs });
  const work = new PictureWork();
  const pictures = new StoredPictures({ content, work });
  const shrunk = new Thumbnails({ content, cache: thumbnails, work });
  const routes = fileRoutes({
    ...parts,
    files,
    pictures,
    marks: new FileMarkStore(database),
    models,
    thumbnails: shrunk,
    uploadBytes: options.limits.uploadBytes,
  });
  return { files, ownFiles, pictures, shrunk, fileStore: store, fileRoutes: routes };
}
