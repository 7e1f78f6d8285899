const mostCharacters = 20_000;

/** What a tool found, a line each, as much as a model should read at once. */
export class ResultLines {
  readonly #most: number;
  readonly #lines: string[] = [];
  #characters = 0;
  #leftOut = false;

  constructor(most: number) {
    this.#most = most;
  }

  get left(): number {
    return this.#most - this.#lines.length;
  }

  /** False once there is room for no more. */
  add(line: string): boolean {
    if (this.left <= 0 || this.#characters + line.length > mostCharacters) {
      this.#leftOut = true;
      return false;
    }
    this.#lines.push(line);
    this.#characters += line.length + 1;
    return true;
  }

  /** `stoppedBy` is the limit that kept whoever searched from looking at everything. */
  text({ none, stoppedBy, hint }: { none: string; stoppedBy: string | null; hint: string }): string {
    const lines = this.#lines.length === 0 && !this.#leftOut ? [none] : this.#lines;
    const notes = [
      ...(this.#leftOut ? [`There is more than these ${this.#lines.length}.`] : []),
      ...(stoppedBy === null ? [] : [`Not everything was looked at: it stopped after ${stoppedBy}.`]),
    ];
    return notes.length === 0 ? lines.join('\n') : [...lines, `[${notes.join(' ')} ${hint}]`].join('\n');
  }
}
