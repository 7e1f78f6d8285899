import type { DispatchParts } from '../dispatch-parts.ts';
import { FileArchives } from './file-archives.ts';
import { fileRoutes } from './file-routes.ts';
import { PictureWork } from './picture-work.ts';
import { StoredFileStore } from './stored-file-store.ts';
import { StoredFiles } from './stored-files.ts';
import { StoredPictures } from './stored-pictures.ts';
import { Thumbnails } from './thumbnails.ts';

export function createFiles(
  parts: Pick<
    DispatchParts,
    'database' | 'content' | 'thumbnails' | 'events' | 'links' | 'audit' | 'guard' | 'clock' | 'options'
  >,
) {
  const { database, content, thumbnails, options } = parts;
  const store = new StoredFileStore(database);
  const files = new StoredFiles({ ...parts, store, limits: options.limits });
  const work = new PictureWork();
  const pictures = new StoredPictures({ content, work });
  const routes = fileRoutes({
    ...parts,
    files,
    pictures,
    archives: new FileArchives({ files }),
    thumbnails: new Thumbnails({ content, cache: thumbnails, work }),
    uploadBytes: options.limits.uploadBytes,
  });
  return { files, pictures, fileStore: store, fileRoutes: routes };
}
