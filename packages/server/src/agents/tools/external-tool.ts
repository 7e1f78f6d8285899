/** A tool that somebody else runs, described in plain terms: nothing of LangChain. */
export interface ExternalTool {
  /** As models see it, unlike every other. */
  name: string;
  /** Whose it is, by the name of the server: an agent can have the tools of some servers alone. */
  server: string;
  description: string;
  /** JSON Schema of an object. */
  inputSchema: Record<string, unknown>;
  /** Throws an AppError whose message the model may read. */
  call(input: Record<string, unknown>, signal: AbortSignal | undefined): Promise<string>;
}

/** Answers at once, and with the same list while nothing has changed. */
export type ExternalTools = () => Promise<readonly ExternalTool[]>;
