import { Readable } from 'node:stream';
import type { PoolFiles } from '../src/agents/tools/workflow-runner.ts';
import { AppError } from '../src/lib/app-error.ts';

interface KeptFile {
  userId: string;
  filename: string;
  text: string;
}

/** The pool's files in memory, with ids that count from `f1`. */
export class PoolFilesInMemory implements PoolFiles {
  readonly kept = new Map<string, KeptFile>();

  async keep(
    userId: string,
    filename: string,
    { source }: { source: Readable },
  ): Promise<{ fileId: string }> {
    const file = { userId, filename, text: Buffer.concat(await source.toArray()).toString() };
    const present = [...this.kept].find(([, kept]) => JSON.stringify(kept) === JSON.stringify(file));
    const fileId = present?.[0] ?? `f${this.kept.size + 1}`;
    this.kept.set(fileId, file);
    return { fileId };
  }

  async open(userId: string, fileId: string): Promise<Readable> {
    const file = this.kept.get(fileId);
    if (file?.userId !== userId) throw new AppError('file_not_found');
    return Readable.from([Buffer.from(file.text)]);
  }
}
