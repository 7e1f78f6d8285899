/** A schema of draft 07, or a part of one. */
export type JsonSchema = Record<string, unknown>;

/** The schemas of one graph that the compiler knows; null where its types say nothing. */
export interface GraphSchemas {
  input: JsonSchema | null;
  output: JsonSchema | null;
  state: JsonSchema | null;
  config: JsonSchema | null;
}

/** Each graph by its namespace; the exported one has the empty name. */
export type SchemasByNamespace = Record<string, GraphSchemas>;

export interface ProgramResult {
  graphs: SchemasByNamespace;
  /** The files that decided about the answer: while none of them changes, it stays. */
  sources: string[];
}

export type ProgramAnswer = ProgramResult | { fault: string };

export interface ProgramRequest {
  /** Absolute path of the source. */
  file: string;
  exportName: string;
  /** Absolute path of the project's own compiler. */
  compiler: string;
}
