import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { shellWord } from '@switchyard/contract/shell-word';
import { CommandError } from './exit-codes.ts';

/** The message and the exit code when tasks failed; undefined when all completed. */
export function taskFailure(
  tasks: readonly TaskDetail[],
  hintFor: (task: TaskDetail) => string = () => '',
): CommandError | undefined {
  const failed = tasks.filter(({ status }) => status === 'failed');
  const sentences = failed.map((task) => sentenceFor(task) + hintFor(task));
  if (sentences.length === 0) return undefined;
  const [first = ''] = sentences;
  if (tasks.length === 1) return new CommandError('failed', first);
  return new CommandError('failed', `${sentences.length} of ${tasks.length} tasks failed. ${first}`);
}

function sentenceFor({ id, error }: TaskDetail): string {
  const at = error?.nodeTitle ?? error?.node;
  const where = at === undefined ? '' : ` (at ${at})`;
  return `Task ${id} failed: ${error?.message ?? 'the gateway gave no reason.'}${where}`;
}

/**
 * For `switchyard run`: the option that sends the file, ready to type. It uses the id of the node, which is always
 * unique.
 */
export function hintOfMissingFile({ error, workflow }: TaskDetail): string {
  if (error?.code !== 'input_file_missing' || error.node === undefined) return '';
  const named = Object.entries(inputsOf(workflow[error.node])).filter(
    ([, value]) => typeof value === 'string' && value !== '' && error.message.includes(value),
  );
  return named
    .map(([input]) => ` Send the file along: -p ${shellWord(`${error.node}.${input}`)}=@FILE`)
    .join('');
}

function inputsOf(node: unknown): Record<string, unknown> {
  const inputs = (node as { inputs?: unknown } | undefined)?.inputs;
  return typeof inputs === 'object' && inputs !== null ? (inputs as Record<string, unknown>) : {};
}
