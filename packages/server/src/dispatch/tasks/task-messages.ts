import type { TaskError, TaskErrorCode } from '@switchyard/contract/dispatch/task';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { sentencesOf, textOf, type Wording } from '@switchyard/contract/sentences/sentences';
import type { TaskRow } from '../tables.ts';

/** An error with its message as codes, as it is stored and shown. */
export type WordedTaskError = TaskError & { sentences: Sentence[] };

export function newTaskError(code: TaskErrorCode, message: Wording): WordedTaskError {
  return { code, message: textOf(message), sentences: sentencesOf(message) };
}

export function taskErrorOf({ error }: Pick<TaskRow, 'error'>): WordedTaskError | null {
  if (error === null) return null;
  const stored = JSON.parse(error) as TaskError;
  return { ...stored, sentences: stored.sentences ?? sentencesOf(stored.message) };
}

type WarningColumns = Pick<TaskRow, 'warnings' | 'warningSentences'>;

export function warningColumns(warnings: readonly Wording[]): WarningColumns {
  return {
    warnings: JSON.stringify(warnings.map(textOf)),
    warningSentences: warnings.length === 0 ? null : JSON.stringify(warnings.map(sentencesOf)),
  };
}

/** A replica of an earlier version only adds texts at the end. */
export function warningsOf(row: WarningColumns): { warnings: string[]; warningSentences: Sentence[][] } {
  const warnings = JSON.parse(row.warnings) as string[];
  const stored = row.warningSentences === null ? [] : (JSON.parse(row.warningSentences) as Sentence[][]);
  return { warnings, warningSentences: warnings.map((text, index) => stored[index] ?? sentencesOf(text)) };
}

export function withWarnings(row: WarningColumns, added: readonly Wording[]): WarningColumns {
  return added.length === 0 ? row : warningColumns([...warningsOf(row).warningSentences, ...added]);
}
