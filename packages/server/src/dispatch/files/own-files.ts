import type { NewTask } from '@switchyard/contract/dispatch/tasks';
import type { Fault } from '@switchyard/contract/errors';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { safeDisplayName } from '../../platform/files/display-name.ts';
import type { WorkerPath } from '../graphs/worker-paths.ts';
import type { NodeInputStore } from '../instances/node-input-store.ts';
import type { FileRow, StoredFileStore } from './stored-file-store.ts';

/**
 * A worker is a disk that many users share, so a workflow cannot reach any file there by its path: neither another
 * task's output nor anything else. A path to a file that the owner has stands for that stored file.
 */
export class OwnFiles {
  readonly #options;

  constructor(options: {
    files: Pick<StoredFileStore, 'newestOutput' | 'newestWith'>;
    nodeInputs: Pick<NodeInputStore, 'of'>;
  }) {
    this.#options = options;
  }

  /** Throws when one of these paths leads to a file. */
  async refuse(paths: readonly WorkerPath[]): Promise<void> {
    requireNone((await this.#thatCount(paths)).map(faultOf));
  }

  /**
   * The task with a file of the owner in place of each path, and which file was chosen; an error names each remaining
   * path.
   */
  async inPlaceOf(
    paths: readonly WorkerPath[],
    { owner, input }: { owner: string; input: NewTask },
  ): Promise<{ input: NewTask; warnings: Wording[] }> {
    const params: Record<string, unknown> = { ...input.params };
    const warnings: Wording[] = [];
    const faults: Fault[] = [];
    for (const path of await this.#thatCount(paths)) {
      if (faults.length >= maxFaults) break;
      const file = warnings.length < maxReplaced ? await this.#fileOf(owner, path) : undefined;
      if (!file) {
        faults.push(faultOf(path));
        continue;
      }
      const name = `${path.nodeId}.${path.input}`;
      // Set last, so that it also wins when a title names the same input.
      delete params[name];
      params[name] = { $file: file.id };
      warnings.push(
        say('file_taken', { ...placeOf(path), value: path.value, file: file.id, filename: file.filename }),
      );
    }
    requireNone(faults);
    return { input: warnings.length > 0 ? { ...input, params } : input, warnings };
  }

  /** Leaves out paths in inputs that take no file: a text may begin with a slash. */
  async #thatCount(paths: readonly WorkerPath[]): Promise<WorkerPath[]> {
    const doubtful = paths.filter(({ isDoubtful }) => isDoubtful);
    if (doubtful.length === 0) return [...paths];
    const known = await this.#options.nodeInputs.of([...new Set(doubtful.map(({ nodeClass }) => nodeClass))]);
    return paths.filter(
      ({ isDoubtful, nodeClass, input }) => !isDoubtful || known.get(nodeClass)?.[input]?.type === 'file',
    );
  }

  async #fileOf(owner: string, { to, filename, isWhole }: WorkerPath): Promise<FileRow | undefined> {
    if (!isWhole || to === 'outside' || to === 'beyond') return undefined;
    if (to !== 'pushed') return this.#options.files.newestOutput(owner, safeDisplayName(filename));
    const sha256 = /^([0-9a-f]{64})(\.[a-z0-9]+)?$/.exec(filename)?.[1];
    return sha256 === undefined ? undefined : this.#options.files.newestWith(owner, sha256);
  }
}

const maxFaults = 50;
/** Each replacement costs a look-up. Beyond this limit files must be named by their ids. */
const maxReplaced = 100;

function requireNone(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  throw new AppError('invalid_workflow', {
    message: faults[0]?.message ?? '',
    faults: faults.slice(0, maxFaults),
  });
}

function faultOf(path: WorkerPath): Fault {
  const { nodeId, input, value, to } = path;
  const why = say(`path_to_${to}`, { ...placeOf(path), value: value.slice(0, 200) });
  const message = [...why, ...say(to === 'beyond' ? 'give_a_prefix' : 'give_the_file')];
  return { in: 'body', path: ['workflow', nodeId, 'inputs', input], message, type: 'foreign_file' };
}

function placeOf({ nodeId, nodeClass, input }: WorkerPath): Record<'node' | 'nodeClass' | 'input', string> {
  return { node: nodeId, nodeClass, input };
}
