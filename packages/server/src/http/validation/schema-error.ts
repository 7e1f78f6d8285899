/** One failed keyword, as the validator reports it. */
export interface SchemaError {
  keyword: string;
  instancePath: string;
  schemaPath: string;
  params: Record<string, unknown>;
  /** The value of the keyword. */
  schema?: unknown;
  /** The schema that contains the keyword. */
  parentSchema?: { type?: unknown; description?: unknown; [keyword: string]: unknown };
  /** The value that failed. */
  data?: unknown;
}
