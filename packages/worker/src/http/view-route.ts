import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import sharp, { type Sharp } from 'sharp';
import { openPicture } from '../files/picture.ts';
import { UnsafePathError } from '../files/safe-path.ts';
import { fileAreas, splitAnnotation, type WorkerFiles } from '../files/worker-files.ts';
import { parseRange } from './byte-range.ts';
import type { Call, Route } from './call.ts';
import { HttpError } from './http-error.ts';

const mediaTypes: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.avif': 'image/avif',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mp3': 'audio/mpeg',
  '.flac': 'audio/flac',
  '.wav': 'audio/x-wav',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

export function viewRoute(files: WorkerFiles, maxPixels: number): Route {
  return {
    method: 'GET',
    path: '/view',
    handle: async (call) => {
      const path = await find(call.query, files);
      const filename = basename(splitAnnotation(call.query.get('filename') ?? '').path);
      const made = await transformed(path, call.query, maxPixels);
      if (made === undefined) await sendFile(call, path, filename);
      else sendImage(call, made, filename);
    },
  };
}

async function find(query: URLSearchParams, files: WorkerFiles): Promise<string> {
  const filename = query.get('filename');
  if (filename === null) throw new HttpError(404);
  const { path, type } = splitAnnotation(filename);
  if (path === '' || path.startsWith('/') || path.includes('..') || path.includes('\0'))
    throw new HttpError(400);
  const area = type ?? fileAreas.find((known) => known === (query.get('type') ?? 'output'));
  if (area === undefined) throw new HttpError(400);
  try {
    const found = await files.find({
      filename: basename(path),
      subfolder: query.get('subfolder') ?? '',
      type: area,
    });
    if (found === undefined) throw new HttpError(404);
    return found;
  } catch (error) {
    if (error instanceof UnsafePathError) throw new HttpError(403);
    throw error;
  }
}

function sendImage(
  { response }: Call,
  { format, bytes }: { format: string; bytes: Buffer },
  filename: string,
): void {
  response.writeHead(200, {
    'content-type': `image/${format}`,
    'content-length': bytes.length,
    'content-disposition': disposition(filename.replace(/\.png$/i, `.${format}`), 'inline'),
    'x-content-type-options': 'nosniff',
  });
  response.end(bytes);
}

/** Types that a browser might run are sent as a download of unknown bytes. */
async function sendFile({ request, response }: Call, path: string, filename: string): Promise<void> {
  const { size, mtime, mtimeMs } = await stat(path);
  const etag = `"${Math.floor(mtimeMs).toString(16)}-${size.toString(16)}"`;
  const mediaType = mediaTypes[extname(filename).toLowerCase()];
  const headers = {
    etag,
    'last-modified': mtime.toUTCString(),
    'accept-ranges': 'bytes',
    'content-type': mediaType ?? 'application/octet-stream',
    'content-disposition': disposition(filename, mediaType === undefined ? 'attachment' : 'inline'),
    'x-content-type-options': 'nosniff',
  };
  if (isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const ifRange = request.headers['if-range'];
  const range =
    ifRange === undefined || ifRange === etag ? parseRange(request.headers.range, size) : undefined;
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  response.writeHead(range === undefined ? 200 : 206, {
    ...headers,
    'content-length': end - start + 1,
    ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD' || size === 0) response.end();
  else await pipeline(createReadStream(path, { start, end }), response);
}

function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

function disposition(filename: string, kind: 'inline' | 'attachment'): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const type = kind === 'attachment' ? 'attachment; ' : '';
  return `${type}filename="${ascii}"`;
}

/**
 * The conversion that `/view` applies to a picture: `preview=webp;90`, `channel=rgb`, `channel=a`. Undefined: the file
 * is sent unchanged.
 */
async function transformed(
  path: string,
  query: URLSearchParams,
  maxPixels: number,
): Promise<{ format: string; bytes: Buffer } | undefined> {
  const preview = query.get('preview');
  const channel = query.get('channel') ?? '';
  const picture = () => openPicture(path, { limitInputPixels: maxPixels });
  if (preview !== null) {
    const parts = preview.split(';');
    const isJpeg = parts[0] === 'jpeg' && !channel.includes('a');
    const quality = Math.min(100, Math.max(1, /^\d+$/.test(parts.at(-1) ?? '') ? Number(parts.at(-1)) : 90));
    const bytes = isJpeg
      ? await (await picture()).removeAlpha().jpeg({ quality }).toBuffer()
      : await (await picture()).webp({ quality, effort: 0 }).toBuffer();
    return { format: isJpeg ? 'jpeg' : 'webp', bytes };
  }
  if (channel === 'rgb')
    return {
      format: 'png',
      bytes: await (await picture()).removeAlpha().png({ compressionLevel: 1 }).toBuffer(),
    };
  if (channel === 'a') return { format: 'png', bytes: await alphaOnly(await picture()) };
  return undefined;
}

/** Black, with the alpha of the picture. */
async function alphaOnly(picture: Sharp): Promise<Buffer> {
  const { data, info } = await picture.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  for (let index = 0; index < data.length; index += info.channels)
    data.fill(0, index, index + info.channels - 1);
  const { width, height, channels } = info;
  return await sharp(data, { raw: { width, height, channels } }).png({ compressionLevel: 1 }).toBuffer();
}
