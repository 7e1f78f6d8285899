import { type Static, Type } from 'typebox';
import { busTopic } from '../../platform/bus/bus.ts';
import type { TaskPreview } from '../dispatch-events.ts';

/** A piece of a preview: a picture is longer than what the bus carries at once. */
const previewPart = Type.Object({
  taskId: Type.String(),
  owner: Type.String(),
  node: Type.Union([Type.String(), Type.Null()]),
  mediaType: Type.String(),
  index: Type.Integer({ minimum: 0 }),
  count: Type.Integer({ minimum: 1 }),
  /** Base64. */
  data: Type.String(),
});
export type PreviewPart = Static<typeof previewPart>;

export const previewsTopic = busTopic('dispatch.previews', previewPart);

/** A multiple of three, so that the pieces of the text are pieces of the bytes. */
const bytesInPart = 30_000;
/** A larger preview stays in its replica. */
const maxBytes = 1024 * 1024;
/** Previews that are put together at a time; the oldest unfinished one is dropped. */
const maxUnfinished = 100;

export function partsOf(
  taskId: string,
  owner: string,
  { node, mediaType, bytes }: TaskPreview,
): PreviewPart[] {
  if (bytes.byteLength > maxBytes) return [];
  const count = Math.max(1, Math.ceil(bytes.byteLength / bytesInPart));
  return Array.from({ length: count }, (_, index) => ({
    taskId,
    owner,
    node: node ?? null,
    mediaType,
    index,
    count,
    data: Buffer.from(bytes.subarray(index * bytesInPart, (index + 1) * bytesInPart)).toString('base64'),
  }));
}

/** Puts previews together again. One of which a part is missing is dropped when the next of its task begins. */
export class PreviewParts {
  readonly #unfinished = new Map<string, Buffer[]>();

  /** Returns the preview that this part completes. */
  add({ taskId, node, mediaType, index, count, data }: PreviewPart): TaskPreview | null {
    const parts = index === 0 ? [] : this.#unfinished.get(taskId);
    this.#unfinished.delete(taskId);
    if (parts?.length !== index) return null;
    parts.push(Buffer.from(data, 'base64'));
    if (parts.length === count)
      return { ...(node !== null && { node }), mediaType, bytes: Buffer.concat(parts) };
    this.#unfinished.set(taskId, parts);
    const [oldest] = this.#unfinished.keys();
    if (this.#unfinished.size > maxUnfinished && oldest !== undefined) this.#unfinished.delete(oldest);
    return null;
  }
}
