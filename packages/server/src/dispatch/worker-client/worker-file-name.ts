/** The folder below a worker's inputs that holds what the gateway pushed. */
export const workerFolder = 'gw';

/**
 * The name under which nodes load a pushed file. It follows from the content alone, so pushing twice changes nothing
 * and every worker knows a file by the same name.
 */
export function workerFileName(file: { sha256: string; extension: string }): string {
  return `${workerFolder}/${bareFileName(file)}`;
}

export function bareFileName({ sha256, extension }: { sha256: string; extension: string }): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`Not a SHA-256 in hex: ${sha256}`);
  return extension === '' ? sha256 : `${sha256}.${extensionOf(`.${extension}`)}`;
}

/**
 * The extension by which nodes recognize a kind of file, in lower case and without the dot; empty when the name has
 * none.
 */
export function extensionOf(filename: string): string {
  return /\.([a-z0-9]{1,10})$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
}
