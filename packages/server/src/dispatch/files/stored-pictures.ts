import type { MaskPlace } from '@switchyard/contract/dispatch/file';
import type { StoredContent } from '../../platform/files/blob-store.ts';
import {
  convertPicture,
  maskPicture,
  type PictureForm,
  replaceAlpha,
} from '../../platform/pictures/convert-picture.ts';
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
  masked(picture: Picture, mask: Pick<StoredContent, 'sha256'>, caller: string): Promise<Buffer> {
    return this.#together(picture, mask, { caller, make: replaceAlpha });
  }

  /** Returns the picture with a mask that was painted over it. */
  withMask(
    picture: Picture & Pick<FileRow, 'id'>,
    mask: Pick<StoredContent, 'sha256'>,
    { place, caller }: { place: MaskPlace; caller: string },
  ): Promise<Buffer> {
    const make = (path: string, maskPath: string) =>
      maskPicture(path, maskPath, { place, original: picture.id });
    return this.#together(picture, mask, { caller, make });
  }

  async #together(
    { sha256, contentType }: Picture,
    mask: Pick<StoredContent, 'sha256'>,
    { caller, make }: { caller: string; make: (path: string, maskPath: string) => Promise<Buffer> },
  ): Promise<Buffer> {
    requirePicture(contentType);
    const { content, work } = this.#options;
    return work.run(caller, () =>
      content.useFile(sha256, (path) => content.useFile(mask.sha256, (maskPath) => make(path, maskPath))),
    );
  }
}
