import type { FileLineage, LineageTask } from '@switchyard/contract/dispatch/lineage';
import { AppError } from '../../lib/app-error.ts';
import type { ReadTogether } from '../../platform/database/snapshot.ts';
import type { StoredFileStore } from '../files/stored-file-store.ts';
import type { Links, Reader } from '../links.ts';
import type { LineageStore } from './lineage-store.ts';
import { viewLineageFile } from './lineage-tree.ts';
import { type LineageRange, LineageWalk } from './lineage-walk.ts';

/** From an upload to the last picture, both ways. Each generation costs a fixed number of questions. */
export class Lineage {
  readonly #options;

  constructor(options: {
    together: ReadTogether<{ files: Pick<StoredFileStore, 'get'>; store: LineageStore }>;
    links: Links;
  }) {
    this.#options = options;
  }

  async of({ owner, origin }: Reader, fileId: string, range: LineageRange): Promise<FileLineage> {
    const { tree, tasks } = await this.#options.together(async ({ files, store }) => {
      const file = await files.get(owner, fileId);
      if (!file) throw new AppError('file_not_found');
      const walked = await new LineageWalk(store).from(file, range);
      return { tree: walked, tasks: await store.tasks([...walked.taskLevels.keys()]) };
    });
    return {
      fileId,
      ...range,
      files: [...tree.files.values()].map((found) =>
        viewLineageFile(found, (to) => this.#options.links.to(to, origin)),
      ),
      tasks: tasks.map((task): LineageTask => ({ ...task, level: tree.taskLevels.get(task.id) ?? 0 })),
      edges: tree.edges,
      cut: tree.cut,
    };
  }
}
