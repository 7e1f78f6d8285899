/** What a file is by its first bytes; `text` and `binary` when no known mark is there. */
export const fileKinds = [
  'png',
  'webp',
  'jpeg',
  'gif',
  'avif',
  'video',
  'audio',
  'pdf',
  'zip',
  'model',
  'empty',
  'text',
  'binary',
] as const;
export type FileKind = (typeof fileKinds)[number];

/** How many of the first bytes are looked at. */
export const kindBytes = 1_024;

const marks: [FileKind, offset: number, text: string][] = [
  ['png', 0, '\x89PNG\r\n\x1a\n'],
  ['jpeg', 0, '\xff\xd8\xff'],
  ['gif', 0, 'GIF8'],
  ['webp', 8, 'WEBP'],
  ['avif', 4, 'ftypavif'],
  ['audio', 4, 'ftypM4A'],
  ['video', 4, 'ftyp'],
  ['video', 0, '\x1aE\xdf\xa3'],
  ['audio', 8, 'WAVE'],
  ['audio', 0, 'ID3'],
  ['audio', 0, 'fLaC'],
  ['audio', 0, 'OggS'],
  ['pdf', 0, '%PDF-'],
  ['zip', 0, 'PK\x03\x04'],
];

export function fileKindOf(head: Uint8Array, filename: string): FileKind {
  if (head.length === 0) return 'empty';
  const start = String.fromCharCode(...head.subarray(0, 16));
  const mark = marks.find(([, offset, text]) => start.startsWith(text, offset));
  if (mark) return mark[0];
  if (/\.(safetensors|sft|ckpt|gguf|pth?|onnx)$/i.test(filename)) return 'model';
  return head.includes(0) ? 'binary' : 'text';
}
