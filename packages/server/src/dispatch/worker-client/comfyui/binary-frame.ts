import { isRecord } from '@switchyard/contract/is-record';

export type BinaryFrame =
  /** `promptId` and `nodeId` are null in the older form, which does not name them. */
  | { kind: 'image'; mediaType: string; bytes: Uint8Array; promptId: string | null; nodeId: string | null }
  | { kind: 'text'; nodeId: string; text: string };

const mediaTypes: Record<number, string> = { 1: 'image/jpeg', 2: 'image/png' };
const maxMetadataBytes = 65_536;
const maxTextBytes = 65_536;

/** Reads a binary message of the event socket; null for a kind that is unknown or cut short. */
export function readBinaryFrame(frame: Buffer): BinaryFrame | null {
  if (frame.length < 8) return null;
  const second = frame.readUInt32BE(4);
  switch (frame.readUInt32BE(0)) {
    case 1:
      return image(frame.subarray(8), { mediaType: mediaTypes[second] ?? '', promptId: null, nodeId: null });
    case 3: {
      if (second > maxMetadataBytes || frame.length < 8 + second) return null;
      const nodeId = frame.toString('utf8', 8, 8 + second);
      return { kind: 'text', nodeId, text: frame.toString('utf8', 8 + second, 8 + second + maxTextBytes) };
    }
    case 4: {
      if (second > maxMetadataBytes || frame.length < 8 + second) return null;
      const metadata = parse(frame.toString('utf8', 8, 8 + second));
      return image(frame.subarray(8 + second), {
        mediaType: text(metadata.image_type) ?? 'image/jpeg',
        promptId: text(metadata.prompt_id),
        nodeId: text(metadata.node_id),
      });
    }
    default:
      return null;
  }
}

function image(
  bytes: Uint8Array,
  about: { mediaType: string; promptId: string | null; nodeId: string | null },
): BinaryFrame | null {
  const isImage =
    about.mediaType === 'image/jpeg' || about.mediaType === 'image/png' || about.mediaType === 'image/webp';
  return isImage && bytes.length > 0 ? { kind: 'image', bytes, ...about } : null;
}

function parse(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
