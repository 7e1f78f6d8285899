import type { Environment } from '@switchyard/server/config/env';
import type { Output } from './terminal.ts';

const barWidth = 24;
const toLineStart = '\r\u001b[K';
/** A terminal shows no more, and each drawing costs time. */
const drawEveryMs = 100;

/** Shows how far a long step is: a bar for a person, one line for each step in a file. */
export interface StepView {
  show(step: string, done: number, total: number | null): void;
  /** Clears the line for the next output. */
  clear(): void;
}

export function stepView(output: Output, env: Environment, now: () => number): StepView {
  const isDrawn = output.isTTY === true && env.TERM !== 'dumb';
  let last = { step: '', atMs: Number.NEGATIVE_INFINITY };
  return {
    show: (step, done, total) => {
      const isNew = step !== last.step;
      if (!isDrawn) {
        if (isNew) output.write(`${step} …\n`);
        last = { step, atMs: 0 };
      } else if (isNew || now() - last.atMs >= drawEveryMs) {
        last = { step, atMs: now() };
        output.write(`${toLineStart}${stepText(step, done, total)}`);
      }
    },
    clear: () => {
      if (isDrawn) output.write(toLineStart);
    },
  };
}

function stepText(step: string, done: number, total: number | null): string {
  if (total === null || total === 0) return `${step}  ${done}`;
  const share = Math.min(done / total, 1);
  const filled = Math.round(share * barWidth);
  const drawn = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
  return `${drawn} ${String(Math.floor(share * 100)).padStart(3)}%  ${step}`;
}
