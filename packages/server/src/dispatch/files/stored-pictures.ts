import type { StoredContent } from '../../platform/files/blob-store.ts';
import { convertPicture, type PictureForm, replaceAlpha } from '../../platform/pictures/convert-picture.ts';
import { requirePicture } from '../../platform/pictures/picture-library.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { PictureWork } from './picture-work.ts';
import type { FileRow } from './stored-file-store.ts';

type Picture = Pick<FileRow, 'sha256' | 'contentType'>;

/** Other forms of stored pictures, made when they are asked for and not kept. */
export class StoredPictures {
  readonly #options;

  constructor(options: Pick<DispatchParts, 'content'> & { work: PictureWork }) {
    this.#options = options;
  }

  async convert({ sha256, contentType }: Picture, form: PictureForm, caller: string): Promise<Buffer> {
    requirePicture(contentType);
    const { content, work } = this.#options;
    return work.run(caller, () => content.useFile(sha256, (path) => convertPicture(path, form)));
  }

  /** Returns the picture as PNG with the transparency of a mask that was received. */
  async masked(
    { sha256, contentType }: Picture,
    mask: Pick<StoredContent, 'sha256'>,
    caller: string,
  ): Promise<Buffer> {
    requirePicture(contentType);
    const { content, work } = this.#options;
    return work.run(caller, () =>
      content.useFile(sha256, (path) =>
        content.useFile(mask.sha256, (maskPath) => replaceAlpha(path, maskPath)),
      ),
    );
  }
}
