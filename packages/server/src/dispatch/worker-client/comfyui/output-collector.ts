import { isRecord } from '@switchyard/contract/is-record';
import type { OutputFile, OutputText } from '../worker-client.ts';

const maxFiles = 10_000;
const maxTexts = 1_000;
const maxTextLength = 100_000;
const maxNameLength = 255;
const maxKindLength = 100;
const model3d = /\.(obj|fbx|gltf|glb|usdz)$/i;

/** Kinds of outputs have many names (images, gifs, audio, 3d …): an entry with a file name is a file, text is text. */
export class OutputCollector {
  readonly files: OutputFile[] = [];
  readonly texts: OutputText[] = [];
  rejected = 0;
  readonly #seen = new Set<string>();

  add(nodeId: string, outputs: unknown): void {
    for (const [kind, items] of isRecord(outputs) ? Object.entries(outputs) : []) {
      if (!Array.isArray(items)) continue;
      for (const item of items) {
        if (typeof item === 'string') this.#addText(nodeId, item);
        else if (isRecord(item) && typeof item.filename === 'string')
          this.#addFile(nodeId, item, kind.slice(0, maxKindLength));
      }
    }
  }

  #addText(nodeId: string, text: string): void {
    if (model3d.test(text)) {
      const slash = text.lastIndexOf('/');
      this.#addFile(nodeId, {
        filename: text.slice(slash + 1),
        subfolder: text.slice(0, Math.max(slash, 0)),
      });
    } else if (this.texts.length < maxTexts) {
      this.texts.push({ nodeId, text: text.slice(0, maxTextLength) });
    }
  }

  #addFile(nodeId: string, item: Record<string, unknown>, kind?: string): void {
    const { filename, subfolder = '', type: folder = 'output' } = item;
    const isFolder = folder === 'output' || folder === 'temp' || folder === 'input';
    if (!isFolder || !isFilename(filename) || !isSubfolder(subfolder) || this.files.length >= maxFiles) {
      this.rejected++;
      return;
    }
    // A node that names the same file under two kinds made one file.
    const key = JSON.stringify([nodeId, folder, subfolder, filename]);
    if (!this.#seen.has(key)) {
      this.files.push({ nodeId, filename, subfolder, folder, ...(kind !== undefined && { kind }) });
    }
    this.#seen.add(key);
  }
}

function isFilename(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > maxNameLength) return false;
  return value !== '.' && value !== '..' && !/[/\\]/.test(value) && !hasControlCharacter(value);
}

function isSubfolder(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 4 * maxNameLength || hasControlCharacter(value))
    return false;
  return !/^[/\\]|^[a-z]:/i.test(value) && !value.split(/[/\\]/).includes('..');
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 32) return true;
  return false;
}
