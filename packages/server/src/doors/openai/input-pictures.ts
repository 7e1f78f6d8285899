import type { Readable } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';
import { deadline } from '../../lib/async/deadline.ts';
import { contentTypeOf } from '../../platform/files/content-type.ts';
import type { ChatMessage, MessageBlock } from './answer.ts';
import { invalid } from './openai-errors.ts';

/** Downloads from public addresses alone, without following redirects. */
export type Download = (url: string, signal: AbortSignal) => Promise<Readable>;

/** Pictures travel on inside the request to the model, as those with a data: address do. */
const pictureLimits = { count: 10, bytes: 10_000_000, waitMs: 15_000 };

/** The type of a picture stands in its first bytes. */
const headBytes = 512;
const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const data = /^data:(image\/(?:png|jpeg|gif|webp));base64,[A-Za-z0-9+/]+={0,2}$/;

export function hasPictures(messages: readonly ChatMessage[]): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some(isPicture));
}

/** Says of a model that it takes no pictures. */
export function noVision(model: string): string {
  return `${model} takes no images. If its model does, an operator sets supports_vision: true at the model in the configuration.`;
}

/** Returns the messages with the content of each picture in place of its address. */
export async function withPictures(
  messages: readonly ChatMessage[],
  { download, signal }: { download: Download; signal: AbortSignal },
): Promise<ChatMessage[]> {
  let count = 0;
  const within = deadline(pictureLimits.waitMs, signal);
  const fetched = async (block: MessageBlock, field: string): Promise<MessageBlock> => {
    if (block.type !== 'image_url') return block;
    const { url } = block.image_url;
    if (data.test(url)) return block;
    if (!url.startsWith('https://'))
      throw invalid(
        field,
        `An image is a data: address of ${types.join(', ')} in base64, or an https address.`,
      );
    count += 1;
    if (count > pictureLimits.count)
      throw invalid(field, `At most ${pictureLimits.count} images are fetched for a request.`);
    return {
      type: 'image_url',
      image_url: {
        ...block.image_url,
        url: await fetchPicture(url, { download, field, signal: within.signal }),
      },
    };
  };
  const inPlace = Promise.all(
    messages.map(async (message, index) => {
      const { content } = message;
      if (!Array.isArray(content)) return message;
      const blocks = content.map((block, at) => fetched(block, `messages.${index}.content.${at}.image_url`));
      return { ...message, content: await Promise.all(blocks) };
    }),
  );
  return inPlace.finally(() => within.release());
}

async function fetchPicture(
  url: string,
  { download, field, signal }: { download: Download; field: string; signal: AbortSignal },
): Promise<string> {
  try {
    const bytes = await bytesOf(await download(url, signal), field);
    const { contentType } = contentTypeOf(bytes.subarray(0, headBytes), '');
    if (!types.includes(contentType))
      throw invalid(field, `The address has ${contentType}; an image is ${types.join(', ')}.`);
    return `data:${contentType};base64,${bytes.toString('base64')}`;
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw invalid(field, `The image cannot be fetched: ${why}`);
  }
}

async function bytesOf(answer: Readable, field: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.byteLength;
    if (bytes > pictureLimits.bytes)
      throw invalid(field, `The image is larger than ${pictureLimits.bytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function isPicture({ type }: MessageBlock): boolean {
  return type === 'image_url';
}
