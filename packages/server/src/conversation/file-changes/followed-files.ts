import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WorkspaceKey } from '../../agents/tools/workspace.ts';
import type { Clock } from '../../lib/clock.ts';
import { folderNames, relativePathOf, virtualPathOf } from '../workspace/virtual-path.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import { ChangeReport, limits, type RecordedChanges } from './change-report.ts';
import { type FileState, isSame, stateOf } from './file-state.ts';

/** The end of a run waits at most this long for the comparison. */
const maxCompareMs = 2_000;
/** The texts from before the run that are held until its end. */
const maxHeldBytes = 4 * 1024 * 1024;

/**
 * The files that the tools of one run write. Each is read right before it is written for the first time, so a run that writes nothing
 * reads nothing, and what the user uploads or deletes meanwhile is not taken for a change of the run.
 */
export class FollowedFiles {
  readonly #options;
  readonly #before = new Map<string, Promise<FileState | null>>();
  #heldBytes = 0;
  #isIncomplete = false;

  constructor(options: { files: Pick<WorkspaceFiles, 'open'>; whose: WorkspaceKey; clock: Clock }) {
    this.#options = options;
  }

  /** Resolves once the file may be written. Never rejects: what is wrong with a path, the write itself says. */
  async beforeWrite(virtualPath: string): Promise<void> {
    const path = placeOf(virtualPath);
    if (path === null) return;
    if (!this.#before.has(path) && this.#before.size >= limits.max_scanned_files) {
      this.#isIncomplete = true;
      return;
    }
    const reading = this.#before.get(path) ?? this.#read(path);
    this.#before.set(path, reading);
    try {
      await reading;
    } catch {
      // A file that cannot be read cannot be compared; the others can.
      this.#before.delete(path);
      this.#isIncomplete = true;
    }
  }

  /** Compares the files with what they were. Returns null when none has changed. */
  async changes(): Promise<RecordedChanges | null> {
    const { files, whose, clock } = this.#options;
    const report = new ChangeReport();
    const endMs = clock() + maxCompareMs;
    for (const [path, reading] of [...this.#before].sort(([one], [other]) => (one < other ? -1 : 1))) {
      if (clock() > endMs) {
        this.#isIncomplete = true;
        break;
      }
      const before = await reading;
      const after = await stateOf(files, whose, virtualPathOf(path));
      if (!isSame(before, after)) report.add({ path, before, after });
      // Comparing long texts takes a while, and other work is waiting.
      await nextTurn();
    }
    if (this.#isIncomplete) report.truncate();
    return report.changes;
  }

  async #read(path: string): Promise<FileState | null> {
    const { files, whose } = this.#options;
    const state = await stateOf(files, whose, virtualPathOf(path));
    if (state === null || state.text === null) return state;
    const heldBytes = this.#heldBytes + state.sizeBytes;
    if (heldBytes > maxHeldBytes) return { ...state, text: null };
    this.#heldBytes = heldBytes;
    return state;
  }
}

/** Returns the path relative to the files of the thread; null for one that cannot be written. */
function placeOf(virtualPath: string): string | null {
  try {
    const path = relativePathOf(virtualPath);
    return folderNames.some((folder) => path.startsWith(`${folder}/`)) ? path : null;
  } catch {
    // The write refuses it with a reason.
    return null;
  }
}
