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

const longestPattern = 1_000;
/** Of a line that is shown, around what was found in it. */
const longestText = 300;
const workerMegabytes = 128;

/**
 * Searches texts for a regular expression on a thread of its own, since one that a model wrote may take for ever: `close`
 * ends it wherever it stands. The code of the thread is text, so that it runs from the sources and from the bundle alike.
 */
export class PatternSearch {
  readonly #worker: Worker;

  constructor({ pattern, isCaseSensitive }: SearchedPattern) {
    requirePattern(pattern);
    this.#worker = new Worker(searchCode, {
      eval: true,
      workerData: { pattern, flags: isCaseSensitive ? '' : 'i', longestText },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: workerMegabytes, maxYoungGenerationSizeMb: 16 },
    });
    // Whoever is waiting is told; without anybody, it is no uncaught error.
    this.#worker.on('error', () => undefined);
  }

  /** At most `most` lines, from the first. One text at a time. */
  linesOf(bytes: Uint8Array, { most, timeMs }: { most: number; timeMs: number }): Promise<FoundLine[]> {
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
      worker.postMessage({ bytes, most });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** As a pattern that finds the text itself. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function requirePattern(pattern: string): void {
  if (pattern === '' || pattern.length > longestPattern) {
    throw new ToolFailure('pattern_invalid', `A pattern has 1 to ${longestPattern} characters.`);
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
const { pattern, flags, longestText } = workerData;
const expression = new RegExp(pattern, flags);
parentPort.on('message', ({ bytes, most }) => {
  const lines = new TextDecoder().decode(bytes).split('\\n');
  const found = [];
  for (let index = 0; index < lines.length && found.length < most; index += 1) {
    const line = lines[index].endsWith('\\r') ? lines[index].slice(0, -1) : lines[index];
    const match = expression.exec(line);
    if (match) found.push({ line: index + 1, text: around(line, match.index) });
  }
  parentPort.postMessage(found);
});
function around(line, at) {
  if (line.length <= longestText) return line;
  const from = Math.max(0, Math.min(at - 100, line.length - longestText));
  const part = line.slice(from, from + longestText).toWellFormed();
  return (from > 0 ? '…' : '') + part + (from + longestText < line.length ? '…' : '');
}
`;
