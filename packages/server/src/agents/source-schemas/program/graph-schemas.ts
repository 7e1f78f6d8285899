import type * as ts from 'typescript-5';
import type { OpenedSource } from './compiler.ts';
import type { GraphTypes } from './graph-types.ts';
import type { GraphSchemas, JsonSchema } from './json-schema.ts';
import { anything } from './simple-schemas.ts';
import { TypeSchemas } from './type-schemas.ts';

/** Makes the schemas of a compiled graph from its type. */
export function graphSchemas(graph: ts.Type, source: OpenedSource, types: GraphTypes): GraphSchemas {
  return {
    input: values('~InputType'),
    output: values('~OutputType'),
    // The update, as in LangGraph's development server. Older versions of LangGraph have it under the second name.
    state: values('~RunInput', 'RunOutput'),
    config: context(),
  };

  function values(...names: string[]): JsonSchema | null {
    const type = types.member(graph, ...names);
    if (!type || source.checker.getPropertiesOfType(type).length === 0) return null;
    const schemas = new TypeSchemas(source);
    return schemas.document(schemas.membersOf(type));
  }

  /** A context is optional as a whole, so none of its channels is required. Without channels it is any object. */
  function context(): JsonSchema | null {
    const builder = types.member(graph, 'builder');
    const definition = builder && types.member(builder, '_configSchema');
    if (!definition) return null;
    const channels = source.checker.getPropertiesOfType(source.checker.getNonNullableType(definition));
    const schemas = new TypeSchemas(source);
    if (channels.length === 0) return schemas.document({ type: 'object' });
    const properties = channels.map((channel): [string, JsonSchema] => {
      const written = types.updateOf(types.typeOf(channel));
      return [channel.name, written ? schemas.schemaOf(written) : anything];
    });
    return schemas.document({ type: 'object', properties: Object.fromEntries(properties) });
  }
}
