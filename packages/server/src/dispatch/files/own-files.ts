import type { NewTask } from '@switchyard/contract/dispatch/tasks';
import type { Fault } from '@switchyard/contract/errors';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { safeDisplayName } from '../../platform/files/display-name.ts';
import type { Graph } from '../graphs/graph.ts';
import { type WorkerPath, workerPathsIn } from '../graphs/worker-paths.ts';
import type { NodeInputStore } from '../instances/node-input-store.ts';
import { extensionOf, workerFileName } from '../worker-client/worker-file-name.ts';
import type { FileRow, StoredFileStore } from './stored-file-store.ts';

/** A file of the owner of a shared workflow that a run of it may read at one input of the graph, and nowhere else. */
export interface LentFile {
  /** `<node id>.<input>` */
  address: string;
  fileId: string;
  /** Its name on a worker. */
  name: string;
}

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

  /**
   * The stored files that a saved graph names by their content, for runs of others. A name of an output is left out: it would lead to
   * another file tomorrow.
   */
  async fixedIn(graph: Graph, owner: string): Promise<LentFile[]> {
    const paths = (await this.#thatCount(workerPathsIn(graph, new Set()))).filter(
      ({ to }) => to === 'pushed',
    );
    const lent: LentFile[] = [];
    for (const path of paths.slice(0, maxReplaced)) {
      const file = await this.#fileOf(owner, path);
      if (file)
        lent.push({ address: `${path.nodeId}.${path.input}`, fileId: file.id, name: nameOnWorker(file) });
    }
    return lent;
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

/** The name under which a file is pushed to workers. */
export function nameOnWorker({ sha256, filename }: Pick<FileRow, 'sha256' | 'filename'>): string {
  return workerFileName({ sha256, extension: extensionOf(filename) });
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
