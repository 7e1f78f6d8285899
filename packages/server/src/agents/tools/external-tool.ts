/** A tool that another server runs, described without types of LangChain. */
export interface ExternalTool {
  /** The name that models see; no other tool has it. */
  name: string;
  /** The name of its server, by which an agent can be limited to the tools of some servers. */
  server: string;
  description: string;
  /** JSON Schema of an object. */
  inputSchema: Record<string, unknown>;
  /** Throws an AppError whose message the model may read. */
  call(input: Record<string, unknown>, signal: AbortSignal | undefined): Promise<ExternalResult>;
}

export interface ExternalResult {
  /** Empty when the tool gave files alone. */
  text: string;
  files: readonly ExternalFile[];
}

/** A picture, a sound or another file that the tool gave. */
export interface ExternalFile {
  mediaType: string;
  /** The end of its address; null when it has none. */
  name: string | null;
  bytes: Buffer;
}

/** Returns at once, with the same list as long as nothing has changed. */
export type ExternalTools = () => Promise<readonly ExternalTool[]>;
