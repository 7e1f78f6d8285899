import { printJson } from './output.ts';
import { plainText } from './plain-text.ts';
import type { Terminal } from './terminal.ts';
import type { EndedTask } from './workflow-run.ts';

/** The options of every command that submits tasks. */
export interface PrintOptions {
  json?: true;
  wait?: true;
  outputDir?: string;
}

/** Returns whether a command waits until its tasks have ended. */
export function waits({ wait, outputDir }: PrintOptions): boolean {
  return wait === true || outputDir !== undefined;
}

/** Prints the results of a command that submits tasks. */
export function printTasks(ended: readonly EndedTask[], options: PrintOptions, terminal: Terminal): void {
  if (options.json) {
    const tasks = ended.map(({ task, savedFiles }) => ({ ...task, savedFiles }));
    printJson(terminal, tasks);
  } else if (waits(options)) {
    for (const one of ended) printResult(one, options.outputDir !== undefined, terminal);
  }
}

/** When files were saved, only their paths are printed: other text among them would be read as a path. */
function printResult({ task, savedFiles }: EndedTask, isSaved: boolean, { stdout, stderr }: Terminal): void {
  const { files = [], texts = [], outputsMissing = 0 } = task.result ?? {};
  for (const file of isSaved ? savedFiles : files) stdout.write(`${plainText(file)}\n`);
  for (const { text } of texts) (isSaved ? stderr : stdout).write(`${plainText(text)}\n`);
  if (outputsMissing === 0) return;
  stderr.write(`${outputsMissing} outputs of task ${task.id} could not be had from the worker.\n`);
}
