/** A tool that another server runs, described without types of LangChain. */
export interface ExternalTool {
  /** The name that models see; no other tool has it. */
  name: string;
  /** The name of its server, by which an agent can be limited to the tools of some servers. */
  server: string;
  description: string;
  /** JSON Schema of an object. */
  inputSchema: Record<string, unknown>;
  /** Throws an error whose message the model may read. */
  call(input: Record<string, unknown>, call: ExternalCall): Promise<ExternalResult>;
}

/** A call of such a tool. It is made again after a restart, and by the next run of the thread after a human has answered. */
export interface ExternalCall {
  signal: AbortSignal | undefined;
  /** Undefined in a graph that runs for no user. */
  run:
    | {
        threadId: string;
        runId: string;
        key: string;
        beforeActing: () => Promise<void>;
        /** The span of the call, for the other server; undefined when nothing is traced. */
        traceparent: string | undefined;
      }
    | undefined;
  /** Shows the reader of the run how far the other server is. */
  tell: (progress: { status: string; message: string | null }) => void;
  /** Returns what the human has answered. Without an answer it interrupts the run, by an error that has to pass. */
  ask: (question: ExternalQuestion) => Record<string, unknown> | null;
}

export interface ExternalQuestion {
  message: string;
  /** The values that the human may change; those that are returned unless the question is refused. */
  fields: Record<string, unknown>;
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
