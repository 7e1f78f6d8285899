import type { Client } from '@switchyard/client/client';
import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { withInterrupts } from './interrupts.ts';
import { plainText } from './plain-text.ts';
import { type PrintOptions, printTasks, waits } from './print-tasks.ts';
import { taskFailure } from './task-failure.ts';
import type { Terminal } from './terminal.ts';
import { cancelTasks, type RunContext, waitForTasks } from './workflow-run.ts';

/**
 * Submits tasks, waits for them and saves their outputs if the options ask for it, and prints. Throws when one has
 * failed. Ctrl-C cancels what was submitted.
 */
export async function runTasks({
  client,
  terminal,
  options,
  submit,
  hintFor,
}: {
  client: Client;
  terminal: Terminal;
  options: PrintOptions;
  /** Uploads what the tasks need and submits them. A submission is never aborted: without its id a task cannot be cancelled. */
  submit: (context: RunContext, onSubmitted: (task: TaskDetail) => void) => Promise<void>;
  /** Returns a sentence that helps with a task that has failed, or an empty text. */
  hintFor?: (task: TaskDetail) => string;
}): Promise<void> {
  const submitted: TaskDetail[] = [];
  const ended = await withInterrupts(async (signal) => {
    const context = { client, terminal, signal };
    try {
      await submit(context, (task) => {
        submitted.push(task);
        announce(task, submitted.length === 1, { options, terminal });
      });
      return waits(options) ? await waitForTasks(submitted, options.outputDir, context) : null;
    } catch (error) {
      if (signal.aborted) await cancelTasks(submitted, context);
      else sayWhatGoesOn(submitted, terminal);
      throw error;
    }
  });
  printTasks(ended ?? submitted.map((task) => ({ task, savedFiles: [] })), options, terminal);
  const tasks = (ended ?? []).map(({ task }) => task);
  const failure = taskFailure(tasks, hintFor);
  if (failure) throw failure;
}

/** Prints each id at once when the command does not wait: if a later submission is refused, the first ids are known. */
function announce(
  task: TaskDetail,
  isFirst: boolean,
  { options, terminal }: { options: PrintOptions; terminal: Terminal },
): void {
  if (isFirst) {
    for (const warning of task.warnings) terminal.stderr.write(`Warning: ${plainText(warning)}\n`);
  }
  if (!waits(options) && !options.json) terminal.stdout.write(`${task.id}\n`);
}

/** The tasks go on when the live messages fail. */
function sayWhatGoesOn(submitted: readonly TaskDetail[], { stderr }: Terminal): void {
  if (submitted.length === 0) return;
  const ids = submitted.map(({ id }) => id).join(' ');
  stderr.write(`The gateway goes on with what was submitted: switchyard tasks watch ${ids}\n`);
}
