import { buffer } from 'node:stream/consumers';
import { fromBuffer } from 'yauzl';

export interface ReadEntry {
  name: string;
  content: string;
  isStored: boolean;
}

/** Unpacks an archive with a library that knows nothing of ours. It refuses what is damaged. */
export async function readZip(archive: Buffer): Promise<ReadEntry[]> {
  const zip = await new Promise<import('yauzl').ZipFile>((resolve, reject) =>
    fromBuffer(archive, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  return new Promise((resolve, reject) => {
    const entries: ReadEntry[] = [];
    zip.on('error', reject);
    zip.on('end', () => resolve(entries));
    zip.on('entry', (entry) => {
      zip.openReadStream(entry, async (error, stream) => {
        if (error) return reject(error);
        const content = (await buffer(stream)).toString('latin1');
        entries.push({ name: entry.fileName, content, isStored: entry.compressionMethod === 0 });
        zip.readEntry();
      });
    });
    zip.readEntry();
  });
}
