/** What the validator tells about one failed keyword. */
export interface SchemaError {
  keyword: string;
  instancePath: string;
  schemaPath: string;
  params: Record<string, unknown>;
  /** The value of the keyword. */
  schema?: unknown;
  /** The schema that the keyword stands in. */
  parentSchema?: { type?: unknown; description?: unknown; [keyword: string]: unknown };
  /** The value that failed. */
  data?: unknown;
}
