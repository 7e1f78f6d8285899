const maxCharacters = 20_000;

/** The lines that a tool found, limited to what a model should read at once. */
export class ResultLines {
  readonly #max: number;
  readonly #lines: string[] = [];
  #characters = 0;
  #leftOut = false;

  constructor(max: number) {
    this.#max = max;
  }

  get left(): number {
    return this.#max - this.#lines.length;
  }

  /** Returns false when there is no more room. */
  add(line: string): boolean {
    if (this.left <= 0 || this.#characters + line.length > maxCharacters) {
      this.#leftOut = true;
      return false;
    }
    this.#lines.push(line);
    this.#characters += line.length + 1;
    return true;
  }

  /** `stoppedBy` is the limit that kept the search from looking at everything. */
  text({ none, stoppedBy, hint }: { none: string; stoppedBy: string | null; hint: string }): string {
    const lines = this.#lines.length === 0 && !this.#leftOut ? [none] : this.#lines;
    const notes = [
      ...(this.#leftOut ? [`There is more than these ${this.#lines.length}.`] : []),
      ...(stoppedBy === null ? [] : [`Not everything was looked at: it stopped after ${stoppedBy}.`]),
    ];
    return notes.length === 0 ? lines.join('\n') : [...lines, `[${notes.join(' ')} ${hint}]`].join('\n');
  }
}
