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
  call(input: Record<string, unknown>, signal: AbortSignal | undefined): Promise<string>;
}

/** Returns at once, with the same list as long as nothing has changed. */
export type ExternalTools = () => Promise<readonly ExternalTool[]>;
