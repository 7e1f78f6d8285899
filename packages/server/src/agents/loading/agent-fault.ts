/** The reason for which an agent cannot be loaded: what is wrong, in which file, on which line. */
export class AgentFault extends Error {
  /** Relative to the working directory; null when no file is at fault. */
  readonly file: string | null;
  readonly line: number | null;

  constructor(
    message: string,
    { file = null, line = null, cause }: { file?: string | null; line?: number | null; cause?: unknown } = {},
  ) {
    const place = file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `;
    super(place + message, { cause });
    this.name = 'AgentFault';
    this.file = file;
    this.line = line;
  }

  static from(error: unknown): AgentFault {
    if (error instanceof AgentFault) return error;
    return new AgentFault(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
