/** A file as clients of ComfyUI name it. */
export interface ComfyuiFileName {
  filename: string;
  subfolder: string;
  folder: 'input' | 'output' | 'temp';
}

export type FolderType = ComfyuiFileName['folder'];

/** A longer name is none: ours have at most 255 bytes, and a subfolder is an id. */
const maxNameLength = 1_024;
const annotation = /^(.*?) ?\[(input|output|temp)\]$/;

export function isFolderType(value: unknown): value is FolderType {
  return value === 'input' || value === 'output' || value === 'temp';
}

/**
 * Reads `sub/name.png [output]`. Returns null for a text that cannot be a name of ours, such as each way out of a
 * folder.
 */
export function readFileName(
  given: string,
  { subfolder = '', folder }: { subfolder?: string; folder: FolderType },
): ComfyuiFileName | null {
  const [, annotated, named] = annotation.exec(given) ?? [];
  const parts = [...subfolder.split(/[\\/]/), ...(annotated ?? given).split(/[\\/]/)];
  const path = parts.filter((part) => part !== '' && part !== '.');
  const filename = path.pop();
  if (given.length + subfolder.length > maxNameLength || filename === undefined) return null;
  if (leadsOut(given) || leadsOut(subfolder)) return null;
  return { filename, subfolder: path.join('/'), folder: isFolderType(named) ? named : folder };
}

/** Returns whether the text names a place outside of the folder in which it is looked for. */
export function leadsOut(text: string): boolean {
  return /^[\\/]|^[a-z]:/i.test(text) || text.split(/[\\/]/).includes('..') || text.includes('\0');
}

/** `name.png`, then `name (1).png` and so on. */
export function numberedName(filename: string, number: number): string {
  if (number === 0) return filename;
  const dot = filename.lastIndexOf('.');
  return dot > 0 ? `${filename.slice(0, dot)} (${number})${filename.slice(dot)}` : `${filename} (${number})`;
}
