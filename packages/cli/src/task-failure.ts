import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { CommandError } from './exit-codes.ts';

/** What to say, and how to end, when tasks failed; undefined when all completed. */
export function failureOf(tasks: readonly TaskDetail[]): CommandError | undefined {
  const sentences = tasks.filter(({ status }) => status === 'failed').map(sentenceFor);
  if (sentences.length === 0) return undefined;
  const [first = ''] = sentences;
  if (tasks.length === 1) return new CommandError('failed', first);
  return new CommandError('failed', `${sentences.length} of ${tasks.length} tasks failed. ${first}`);
}

function sentenceFor({ id, error }: TaskDetail): string {
  const at = error?.nodeTitle ?? error?.node;
  const where = at === undefined ? '' : ` (at ${at})`;
  const hint = error?.code === 'input_file_missing' ? ` Here: -p "${at ?? '<node>'}.<input>=@<file>"` : '';
  return `Task ${id} failed: ${error?.message ?? 'the gateway gave no reason.'}${where}${hint}`;
}
