import type { Preview } from '../nodes/node-class.ts';

/** The kinds of binary frames. A frame begins with its kind as u32 (big endian). Kind 2 is never sent. */
const previewKind = 1;
const textKind = 3;
const previewWithMetadataKind = 4;

const formatNumber = { JPEG: 1, PNG: 2 } as const;

export interface PreviewMetadata {
  node_id: string;
  prompt_id: string;
  display_node_id: string;
  parent_node_id: string | null;
  real_node_id: string;
}

/** The frame names neither prompt nor node: the client has to know what it waits for. */
export function previewFrame(preview: Preview): Buffer {
  return Buffer.concat([u32(previewKind), u32(formatNumber[preview.format]), preview.bytes]);
}

export function previewWithMetadataFrame(preview: Preview, metadata: PreviewMetadata): Buffer {
  const json = Buffer.from(
    JSON.stringify({ ...metadata, image_type: `image/${preview.format.toLowerCase()}` }),
  );
  return Buffer.concat([u32(previewWithMetadataKind), u32(json.length), json, preview.bytes]);
}

export function textFrame(nodeId: string, text: string): Buffer {
  const id = Buffer.from(nodeId);
  return Buffer.concat([u32(textKind), u32(id.length), id, Buffer.from(text)]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
