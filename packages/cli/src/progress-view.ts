import type { Environment } from '@switchyard/server/config/env';
import { plainText } from './plain-text.ts';
import { hasEnded, type TaskState } from './task-board.ts';
import type { Output } from './terminal.ts';
import { cutToWidth } from './text-width.ts';

/** Shows how far tasks are: a bar for a person, lines for a file. */
export interface ProgressView {
  /** `changed` is one of `states`. */
  show(changed: TaskState, states: readonly TaskState[]): void;
  /** Clears the line for the next output. */
  clear(): void;
}

export function progressView(output: Output, env: Environment): ProgressView {
  return output.isTTY && env.TERM !== 'dumb' ? bar(output) : lines(output);
}

const barWidth = 24;
const usualColumns = 80;
const toLineStart = '\r\u001b[K';

function bar(output: Output): ProgressView {
  return {
    show: (changed, states) => {
      const width = (output.columns || usualColumns) - 1;
      output.write(toLineStart + cutToWidth(barText(changed, states), width));
    },
    clear: () => output.write(toLineStart),
  };
}

/** The bar shows all tasks; the text shows the task that changed. */
export function barText(changed: TaskState, states: readonly TaskState[]): string {
  const sum = states.reduce((total, state) => total + (hasEnded(state) ? 100 : state.progress), 0);
  const percent = Math.floor(sum / Math.max(1, states.length));
  const filled = Math.round((percent / 100) * barWidth);
  const drawn = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
  const ended = states.filter(hasEnded).length;
  const count = states.length > 1 ? `  ${ended}/${states.length}` : '';
  return `${drawn} ${String(percent).padStart(3)}%${count}  ${wordsFor(changed)}`;
}

function wordsFor({ status, node }: TaskState): string {
  if (status === 'pending') return 'waiting for an instance';
  return status === 'running' && node !== null ? plainText(node) : status;
}

/** Writes only rare changes: a log line for each percent would hide the others. */
function lines(output: Output): ProgressView {
  const shown = new Map<string, string>();
  return {
    show: ({ id, status, instanceId }) => {
      if (status === 'pending' || shown.get(id) === status) return;
      shown.set(id, status);
      output.write(`${id}  ${status}${status === 'running' && instanceId ? ` on ${instanceId}` : ''}\n`);
    },
    clear: () => undefined,
  };
}
