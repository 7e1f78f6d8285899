import { type NameToken, namePart, nameTokens } from '@switchyard/contract/dispatch/file';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { nameParts, safeDisplayName } from '../../platform/files/display-name.ts';
import type { FileRow } from '../files/stored-file-store.ts';
import type { RecipeFacts } from '../recipes/recipes.ts';

export interface NamedFile extends RecipeFacts {
  row: Pick<FileRow, 'id' | 'filename' | 'taskId' | 'createdAt'>;
}

const part = new RegExp(namePart, 'g');
const known = nameTokens.map((name) => `{${name}}`);
/** Stands for what a file does not have. */
const none = 'none';

export function requireKnownTokens(place: 'query' | 'body', pattern: string | undefined): void {
  const faults = (pattern?.match(part) ?? [])
    .filter((each) => !known.includes(each))
    .map((given) => ({
      in: place,
      path: ['names'],
      message: say('name_token_unknown', { given, known: known.join(', ') }),
      type: 'value_error',
    }));
  if (faults.length > 0) throw new AppError('validation_failed', { faults });
}

/** True when a name cannot be made from the row of its file alone. */
export function needsFacts(pattern: string): boolean {
  return /\{(?:workflow|seed)\}/.test(pattern);
}

/** The name of each file by a pattern, with the extension of the file. They are safe on every system, and not yet unique. */
export function namesByPattern(pattern: string, files: readonly NamedFile[]): string[] {
  const digits = String(files.length).length;
  return files.map((file, index) => {
    const [, extension] = nameParts(file.row.filename);
    const values = valuesOf(file, String(index + 1).padStart(digits, '0'));
    const stem = pattern.replaceAll(part, (each) => values[each.slice(1, -1) as NameToken]);
    // A slash would make a folder, and a name would begin behind it.
    return safeDisplayName(withExtension(stem.replace(/[\\/]/g, '_'), extension));
  });
}

function valuesOf({ row, workflow, seed }: NamedFile, n: string): Record<NameToken, string> {
  const { id, filename, taskId, createdAt } = row;
  const [name] = nameParts(filename);
  return {
    name,
    workflow: workflow ?? none,
    date: createdAt.slice(0, 10),
    time: createdAt.slice(11, 19).replaceAll(':', '-'),
    seed: seed === null ? none : String(seed),
    n,
    id,
    task: taskId ?? none,
  };
}

/** A stem that makes no name would leave the extension alone, which is then the name of a hidden file. */
function withExtension(stem: string, extension: string): string {
  return `${safeDisplayName(stem)}${extension}`;
}
