import type { ChangedFile, WorkspaceChanges } from '@switchyard/contract/conversation/workspace-changes';
import { virtualPathOf } from '../workspace/virtual-path.ts';
import { type FileState, maxDiffBytes } from './file-state.ts';
import { isSensitive } from './sensitive-file.ts';
import { cutDiff, unifiedDiff } from './unified-diff.ts';

/** The changes of a run as they are stored. */
export type RecordedChanges = Omit<WorkspaceChanges, 'available'>;

/** A file that differs between two moments. Its path is relative to the files of the thread. */
export interface FileChange {
  path: string;
  before: FileState | null;
  after: FileState | null;
}

export const limits = {
  max_files: 200,
  max_scanned_files: 2_000,
  max_file_bytes_for_diff: maxDiffBytes,
  max_total_diff_bytes: 1_048_576,
};

export const emptySummary: WorkspaceChanges['summary'] = {
  created: 0,
  modified: 0,
  deleted: 0,
  symlink_created: 0,
  additions: 0,
  deletions: 0,
  truncated: false,
};

/** The changes of a run as they are stored: all files are counted, the first ones listed, with diffs while there is room. */
export class ChangeReport {
  readonly #files: ChangedFile[] = [];
  #summary = { ...emptySummary };
  #diffBytesLeft = limits.max_total_diff_bytes;

  add(change: FileChange): void {
    const file = this.#described(change);
    this.#summary[file.status] += 1;
    this.#summary.additions += file.additions;
    this.#summary.deletions += file.deletions;
    if (this.#files.length < limits.max_files) this.#files.push(file);
    else this.truncate();
  }

  /** Something is missing: not every file could be compared. */
  truncate(): void {
    this.#summary = { ...this.#summary, truncated: true };
  }

  /** Returns null when nothing has changed. */
  get changes(): RecordedChanges | null {
    const { created, modified, deleted } = this.#summary;
    if (created + modified + deleted === 0) return null;
    return { version: 1, summary: this.#summary, files: this.#files, limits };
  }

  #described({ path, before, after }: FileChange): ChangedFile {
    const sensitive = isSensitive(path);
    const binary = [before, after].some((state) => state?.isBinary === true);
    const facts = {
      path: virtualPathOf(path),
      root: path.split('/')[0] ?? '',
      status: before === null ? 'created' : after === null ? 'deleted' : 'modified',
      binary,
      sensitive,
      size_before: before?.sizeBytes ?? null,
      size_after: after?.sizeBytes ?? null,
      // The digest of a short secret gives the secret away.
      sha256_before: sensitive ? null : (before?.sha256 ?? null),
      sha256_after: sensitive ? null : (after?.sha256 ?? null),
      symlink: false,
      symlink_target_before: null,
      symlink_target_after: null,
    } as const;
    const reason = sensitive ? 'sensitive' : binary ? 'binary' : whyNoTexts([before, after]);
    if (reason !== null) return { ...facts, ...noDiff, diff_unavailable_reason: reason };
    return { ...facts, ...this.#diffOf({ path, before, after }) };
  }

  #diffOf({ path, before, after }: FileChange): Diff {
    const whole = unifiedDiff(virtualPathOf(path), before?.text ?? null, after?.text ?? null);
    const { additions, deletions } = whole;
    const diff = this.#files.length < limits.max_files ? cutDiff(whole.text, this.#diffBytesLeft) : '';
    this.#diffBytesLeft -= Buffer.byteLength(diff);
    const diff_unavailable_reason = diff === '' ? ('truncated' as const) : null;
    const diff_truncated = diff.length < whole.text.length;
    return { diff, diff_truncated, diff_unavailable_reason, additions, deletions };
  }
}

type Diff = Pick<
  ChangedFile,
  'diff' | 'diff_truncated' | 'diff_unavailable_reason' | 'additions' | 'deletions'
>;

const noDiff: Diff = {
  diff: '',
  diff_truncated: false,
  diff_unavailable_reason: null,
  additions: 0,
  deletions: 0,
};

function whyNoTexts(states: readonly (FileState | null)[]): 'large' | 'truncated' | null {
  if (states.some((state) => state !== null && state.sizeBytes > maxDiffBytes)) return 'large';
  return states.some((state) => state !== null && state.text === null) ? 'truncated' : null;
}
