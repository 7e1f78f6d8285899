import { getFileRecipe } from '@switchyard/contract/dispatch/recipe';
import { useQuery } from '@tanstack/react-query';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { FileSlices } from '../../lib/workflow-file/file-slices.ts';
import { pngTexts } from '../../lib/workflow-file/png-texts.ts';
import { fileAddress, mediaKindOf, type Picture } from './picture.ts';

export type MaskedFile = Pick<Picture, 'fileId' | 'filename'>;

export interface MaskFiles {
  /** The file that has the mask now: a picture with transparency, or a mask of its own. */
  mask?: MaskedFile | undefined;
  /** The picture below, where the file with the mask does not name it. */
  picture?: MaskedFile | undefined;
}

interface ReadyMask {
  state: 'ready';
  picture: HTMLImageElement;
  /** The picture of which the mask is the transparency; null while there is none. */
  mask: HTMLImageElement | null;
  /** The id of the picture below. */
  maskOf: string;
  isOriginalGone: boolean;
}

export type OpenedMask = { state: 'opening' } | { state: 'failed'; message: string } | ReadyMask;

/** The text of a PNG in which the gateway names the picture below a mask. */
const originalKeyword = 'switchyard_mask_of';
/** The text stands before the pixels. */
const headBytes = 64 * 1024;

type Failure = { code: 'notPicture' | 'unreadable'; values: Record<string, string> };

/** Loads the picture to paint over, and the mask that it has. */
export function useOpenedMask({ mask, picture }: MaskFiles): OpenedMask {
  const text = useText('pictures');
  const words = useGatewayWords();
  const { data, error } = useQuery({
    queryKey: [...keys.files, 'one', mask?.fileId ?? picture?.fileId, 'mask', picture?.fileId],
    queryFn: () => openMask({ mask, picture }),
    // What is painted stays while the page asks again for other things.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (error) return { state: 'failed', message: words.error(error) };
  if (data === undefined) return { state: 'opening' };
  return 'code' in data ? { state: 'failed', message: text(`mask.${data.code}`, data.values) } : data;
}

async function openMask({ mask, picture }: MaskFiles): Promise<ReadyMask | Failure> {
  const present = mask && (await load(mask));
  if (present && 'code' in present) return present;
  const originalId = mask && (await originalOf(mask));
  const original =
    originalId === undefined ? undefined : await imageOf({ fileId: originalId, filename: 'original' });
  if (original && originalId)
    return ready({ picture: original, mask: present, maskOf: originalId, isOriginalGone: false });
  const below = picture ?? mask;
  const other = picture === undefined ? present : await load(picture);
  if (below === undefined || other === undefined) throw new Error('There is no picture to paint over.');
  if ('code' in other) return other;
  return ready({
    picture: other,
    mask: present,
    maskOf: below.fileId,
    isOriginalGone: originalId !== undefined,
  });
}

function ready({
  mask,
  ...rest
}: Omit<ReadyMask, 'state' | 'mask'> & { mask: HTMLImageElement | undefined }) {
  return { state: 'ready' as const, mask: mask ?? null, ...rest };
}

/** Loads a picture. The gateway says what a file is that cannot be loaded; a deleted one is an error of the call. */
async function load(file: MaskedFile): Promise<HTMLImageElement | Failure> {
  const image = await imageOf(file);
  if (image) return image;
  const { filename, contentType } = await gateway.call(getFileRecipe, { params: { fileId: file.fileId } });
  return mediaKindOf(contentType) === 'picture'
    ? { code: 'unreadable', values: { name: filename } }
    : { code: 'notPicture', values: { name: filename, type: contentType.split(';')[0] ?? '' } };
}

/** Returns undefined for what the browser cannot show. */
async function imageOf(file: MaskedFile): Promise<HTMLImageElement | undefined> {
  const image = new Image();
  image.src = fileAddress(file);
  try {
    await image.decode();
    return image;
  } catch {
    return undefined; // the caller finds out why
  }
}

async function originalOf(file: MaskedFile): Promise<string | undefined> {
  const answer = await fetch(fileAddress(file), { headers: { range: `bytes=0-${headBytes - 1}` } });
  if (!answer.ok) return undefined;
  const head = (await answer.blob()).slice(0, headBytes);
  return (await pngTexts(new FileSlices(head))).get(originalKeyword);
}
