import { Worker } from 'node:worker_threads';
import { ToolFailure } from '../tool-failure.ts';

export interface FoundLine {
  /** Counts from one. */
  line: number;
  text: string;
}

export interface SearchedPattern {
  pattern: string;
  isCaseSensitive: boolean;
}

const maxPatternLength = 1_000;
/** Characters of a line that are shown around a match. */
const maxTextLength = 300;
const workerMegabytes = 128;

/**
 * Searches texts for a regular expression on a thread of its own, because an expression that a model wrote may take for ever.
 * `close` ends it at any point. The code of the thread is a string, so that it runs from the sources and from the bundle alike.
 */
export class PatternSearch {
  readonly #worker: Worker;

  constructor({ pattern, isCaseSensitive }: SearchedPattern) {
    requirePattern(pattern);
    this.#worker = new Worker(searchCode, {
      eval: true,
      workerData: { pattern, flags: isCaseSensitive ? '' : 'i', maxTextLength },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: workerMegabytes, maxYoungGenerationSizeMb: 16 },
    });
    // A pending search reports the error. Without one, this handler keeps it from being uncaught.
    this.#worker.on('error', () => undefined);
  }

  /** Returns at most `max` lines, from the first on. Handles one text at a time. */
  linesOf(bytes: Uint8Array, { max, timeMs }: { max: number; timeMs: number }): Promise<FoundLine[]> {
    const worker = this.#worker;
    return new Promise<FoundLine[]>((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(tooSlow())), timeMs);
      const found = (lines: FoundLine[]): void => settle(() => resolve(lines));
      const failed = (error: Error): void => settle(() => reject(tooCostly(error)));
      const gone = (): void => settle(() => reject(tooSlow()));
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        worker.off('message', found).off('error', failed).off('exit', gone);
        end();
      };
      worker.once('message', found).once('error', failed).once('exit', gone);
      worker.postMessage({ bytes, max });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Returns a pattern that finds the text itself. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function requirePattern(pattern: string): void {
  if (pattern === '' || pattern.length > maxPatternLength) {
    throw new ToolFailure('pattern_invalid', `A pattern has 1 to ${maxPatternLength} characters.`);
  }
  try {
    new RegExp(pattern);
  } catch (error) {
    throw new ToolFailure(
      'pattern_invalid',
      `${(error as Error).message}. Correct it, or set literal to search for the text as it is.`,
    );
  }
}

function tooSlow(): ToolFailure {
  return new ToolFailure(
    'pattern_too_slow',
    'The search took too long and was stopped. Use a simpler pattern, a narrower path or a glob.',
  );
}

function tooCostly(cause: Error): ToolFailure {
  return new ToolFailure(
    'pattern_too_slow',
    `The pattern asks for too much (${cause.message}). Simplify it.`,
  );
}

const searchCode = `
const { parentPort, workerData } = require('node:worker_threads');
const { pattern, flags, maxTextLength } = workerData;
const expression = new RegExp(pattern, flags);
parentPort.on('message', ({ bytes, max }) => {
  const lines = new TextDecoder().decode(bytes).split('\\n');
  const found = [];
  for (let index = 0; index < lines.length && found.length < max; index += 1) {
    const line = lines[index].endsWith('\\r') ? lines[index].slice(0, -1) : lines[index];
    const match = expression.exec(line);
    if (match) found.push({ line: index + 1, text: around(line, match.index) });
  }
  parentPort.postMessage(found);
});
function around(line, at) {
  if (line.length <= maxTextLength) return line;
  const from = Math.max(0, Math.min(at - 100, line.length - maxTextLength));
  const part = line.slice(from, from + maxTextLength).toWellFormed();
  return (from > 0 ? '…' : '') + part + (from + maxTextLength < line.length ? '…' : '');
}
`;
