import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { CommandError } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** The gateway accepts no more in one request. */
const maxMessageBytes = 20_000_000;

/** Reads a message that another program writes. */
export async function readMessage({ stdin }: Pick<Terminal, 'stdin'>): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    sizeBytes += bytes.length;
    if (sizeBytes > maxMessageBytes)
      throw new CommandError('usage', 'The message on standard input is too long.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8').trim();
}

/**
 * Asks a person line by line. Between two questions the terminal is in its normal mode, so that Ctrl-C reaches the
 * process.
 */
export class LineReader {
  readonly #terminal: Terminal;
  /** Lines that were pasted together and wait for their turn. */
  readonly #waiting: string[] = [];
  #history: string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Returns null after Ctrl-D or Ctrl-C. */
  async ask(prompt: string): Promise<string | null> {
    if (this.#waiting.length === 0) await this.#read(prompt);
    return this.#waiting.shift() ?? null;
  }

  async #read(prompt: string): Promise<void> {
    const { stdin, stderr } = this.#terminal;
    const lines = createInterface({
      input: stdin as Readable,
      output: stderr as Writable,
      terminal: true,
      history: this.#history,
      prompt,
    });
    lines.on('history', (history) => {
      this.#history = history;
    });
    lines.on('line', (line) => this.#waiting.push(line));
    try {
      await new Promise<void>((resolve) => {
        for (const event of ['line', 'SIGINT', 'close'] as const) lines.once(event, () => resolve());
        lines.prompt();
      });
    } finally {
      lines.close();
    }
  }
}
