type Schema = Record<string, unknown>;

/**
 * Adds to the schema of a source what the loaded channels know besides: the mark of messages, and the type of a first value where
 * the source has none. Without a schema of the source, that of the channels stands.
 */
export function withChannels(source: Schema | null | undefined, channels: Schema): Schema {
  if (!source) return channels;
  const known = propertiesOf(channels);
  const properties = Object.entries(propertiesOf(source)).map(([name, schema]) => {
    const { langgraph_type: mark, ...rest } = known[name] ?? {};
    const own = Object.keys(schema).length > 0 ? schema : rest;
    return [name, mark === undefined ? own : { ...own, langgraph_type: mark }];
  });
  return { ...source, properties: Object.fromEntries(properties) };
}

function propertiesOf(schema: Schema): Record<string, Schema> {
  return (schema.properties ?? {}) as Record<string, Schema>;
}
