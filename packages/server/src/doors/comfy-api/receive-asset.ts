import type { Readable } from 'node:stream';
import type { HashedContent } from '../../dispatch/files/stored-files.ts';
import { isMultipartFault, parsedParts } from '../../http/body/multipart-fault.ts';
import { AppError } from '../../lib/app-error.ts';
import { ComfyApiRefusal } from './comfy-api-errors.ts';

export type AssetPart =
  | { type: 'file'; fieldname: string; file: Readable }
  | { type: 'field'; fieldname: string; value: unknown };

export interface ReceivedAsset {
  filePath: string;
  content: HashedContent;
}

const maxFilePathLength = 1_024;
const maxSeconds = 604_800;
const minSeconds = 60;

/** The `<hex>` of `blake3:<hex>`; null for any other text. */
export function blake3Of(hash: string): string | null {
  return /^blake3:([0-9a-f]{64})$/i.exec(hash)?.[1]?.toLowerCase() ?? null;
}

/** Reads the fields, then the one part `file`, which is the last. */
export async function receiveAsset(
  parts: AsyncIterable<AssetPart>,
  receive: (source: Readable) => Promise<HashedContent>,
): Promise<ReceivedAsset> {
  try {
    return await readParts(parsedParts(parts), receive);
  } catch (error) {
    throw isMultipartFault(error)
      ? new AppError('body_malformed', { message: 'The multipart body cannot be read.', cause: error })
      : error;
  }
}

async function readParts(
  parts: AsyncIterable<AssetPart>,
  receive: (source: Readable) => Promise<HashedContent>,
): Promise<ReceivedAsset> {
  const fields = new Map<string, string>();
  let received: ReceivedAsset | undefined;
  for await (const part of parts) {
    if (received) throw refused(part.fieldname, 'Send it before the part file, which is the last one.');
    if (part.type === 'field') {
      takeField(fields, part.fieldname, part.value);
      continue;
    }
    if (part.fieldname !== 'file') throw refused(part.fieldname, 'Send the content in a part named file.');
    const { filePath, expected } = readFields(fields);
    const content = await receive(part.file);
    if (expected !== undefined && expected !== content.blake3) throw mismatch(content);
    received = { filePath, content };
  }
  if (!received) throw refused('file', 'The part file is missing.');
  return received;
}

const fieldNames = ['content_type', 'file_path', 'expected_hash', 'tags', 'expires_in'];

function takeField(fields: Map<string, string>, name: string, value: unknown): void {
  if (!fieldNames.includes(name))
    throw refused(name, `There is no such field. Send ${fieldNames.join(', ')}.`);
  if (typeof value !== 'string') throw refused(name, 'Send a text.');
  if (fields.has(name) && name !== 'tags') throw refused(name, 'Send it once.');
  fields.set(name, value);
}

function readFields(fields: ReadonlyMap<string, string>): { filePath: string; expected: string | undefined } {
  const filePath = fields.get('file_path');
  if (!fields.get('content_type')) throw refused('content_type', 'Send it before the part file.');
  if (!filePath) throw refused('file_path', 'Send it before the part file.');
  if (filePath.length > maxFilePathLength)
    throw refused('file_path', `At most ${maxFilePathLength} characters are allowed.`);
  const hash = fields.get('expected_hash');
  const expected = hash === undefined ? undefined : blake3Of(hash);
  if (expected === null) throw refused('expected_hash', 'Send blake3: and 64 hexadecimal digits.');
  const seconds = fields.get('expires_in');
  if (seconds !== undefined && !isLifetime(seconds))
    throw refused('expires_in', `Send whole seconds from ${minSeconds} to ${maxSeconds}.`);
  return { filePath, expected };
}

function isLifetime(seconds: string): boolean {
  return /^\d{1,6}$/.test(seconds) && Number(seconds) >= minSeconds && Number(seconds) <= maxSeconds;
}

function mismatch({ blake3 }: HashedContent): ComfyApiRefusal {
  return new ComfyApiRefusal('hash_mismatch', {
    status: 409,
    message: `The content has the hash blake3:${blake3}, which is not expected_hash. Send it again.`,
  });
}

function refused(field: string, message: string): AppError {
  const name = field.slice(0, 100);
  return new AppError('validation_failed', {
    faults: [{ in: 'body', path: [name], message: `${name}: ${message}`, type: 'value_error' }],
  });
}
