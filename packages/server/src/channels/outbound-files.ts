import type { Artifact } from '../conversation/workspace/artifacts.ts';
import { AppError } from '../lib/app-error.ts';
import type { OutboundFile } from './channel.ts';

/** Number of files in one answer, because Telegram takes no more at once; the others are only named. */
const maxFiles = 10;

/** Opens the files that can be sent; they are read when they are sent. The others are returned as names with the reason. */
export async function openArtifacts(
  paths: readonly string[],
  { open, maxBytes }: { open: (path: string) => Promise<Artifact>; maxBytes: number },
): Promise<{ sendable: OutboundFile[]; others: string[] }> {
  const sendable: OutboundFile[] = [];
  const others: string[] = [];
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    try {
      const { filename, contentType, sizeBytes, close } = await open(path);
      await close();
      if (sendable.length === maxFiles) others.push(name);
      else if (sizeBytes > maxBytes) others.push(`${name} (too large)`);
      // No channel takes an empty file.
      else if (sizeBytes === 0) others.push(`${name} (empty)`);
      else sendable.push({ filename, contentType, sizeBytes, read: () => readAll(open, path, maxBytes) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      others.push(`${name} (not found)`);
    }
  }
  return { sendable, others };
}

async function readAll(
  open: (path: string) => Promise<Artifact>,
  path: string,
  maxBytes: number,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of (await open(path)).stream() as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) throw new AppError('file_too_large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
