import { type FileSlices, latinText, utf8Text } from './file-slices.ts';

const signatureBytes = 8;
const headBytes = 8;
const crcBytes = 4;
/** A text beyond this is not a graph that the gateway would take. */
const maxTextBytes = 16 * 1024 * 1024;
/** A picture of 100 MB has about 12,000 chunks. */
const maxChunks = 100_000;

/** The texts of a PNG by their keywords, where ComfyUI keeps the executed graph as `prompt` and its own as `workflow`. */
export async function pngTexts(file: FileSlices): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  let at = signatureBytes;
  for (let count = 0; count < maxChunks && at + headBytes <= file.size; count += 1) {
    const head = await file.read(at, headBytes);
    if (head.length < headBytes) break;
    const length = new DataView(head.buffer, head.byteOffset, headBytes).getUint32(0);
    const kind = latinText(head.subarray(4));
    if (kind === 'IEND') break;
    if (kind === 'tEXt' || kind === 'iTXt' || kind === 'zTXt') {
      if (length <= maxTextBytes) await addText(texts, kind, await file.read(at + headBytes, length));
    }
    at += headBytes + length + crcBytes;
  }
  return texts;
}

async function addText(texts: Map<string, string>, kind: string, chunk: Uint8Array): Promise<void> {
  const keyEnd = chunk.indexOf(0);
  if (keyEnd < 1) return;
  const keyword = latinText(chunk.subarray(0, keyEnd));
  const text = await textOf(kind, chunk.subarray(keyEnd + 1));
  if (text !== null && !texts.has(keyword)) texts.set(keyword, text);
}

/** Returns null for a text that is broken or too large. */
async function textOf(kind: string, rest: Uint8Array): Promise<string | null> {
  if (kind === 'tEXt') return utf8Text(rest);
  if (kind === 'zTXt') return inflated(rest.subarray(1));
  const isPacked = rest[0] === 1;
  const languageEnd = rest.indexOf(0, 2);
  const translationEnd = languageEnd < 0 ? -1 : rest.indexOf(0, languageEnd + 1);
  if (translationEnd < 0) return null;
  const bytes = rest.subarray(translationEnd + 1);
  return isPacked ? inflated(bytes) : utf8Text(bytes);
}

/** Unpacks at most `maxTextBytes`: a few packed bytes may stand for gigabytes. */
async function inflated(packed: Uint8Array): Promise<string | null> {
  const reader = new Blob([packed.slice()])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'))
    .getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > maxTextBytes) {
        await reader.cancel();
        return null;
      }
      parts.push(value);
    }
  } catch {
    return null; // the packed text is broken, so the picture has no workflow
  }
  return new Blob(parts).text();
}
