import type * as ts from 'typescript-5';
import type { OpenedSource } from './compiler.ts';
import type { GraphTypes } from './graph-types.ts';
import type { GraphSchemas, JsonSchema } from './json-schema.ts';
import { TypeSchemas } from './type-schema.ts';

/** Makes the schemas of one compiled graph of its types. */
export function graphSchemas(graph: ts.Type, source: OpenedSource, types: GraphTypes): GraphSchemas {
  const schemas = new TypeSchemas(source);
  return {
    input: object(types.member(graph, '~InputType')),
    output: object(types.member(graph, '~OutputType')),
    // The update, as in LangGraph's development server. Graphs of LangGraph before 1.2 have it under the second name.
    state: object(types.member(graph, '~RunInput', 'RunOutput')),
    config: context(),
  };

  function object(type: ts.Type | null): JsonSchema | null {
    if (!type || source.checker.getPropertiesOfType(type).length === 0) return null;
    return schemas.document(() => schemas.membersOf(type));
  }

  /** A context is optional as a whole, so none of its channels is required. */
  function context(): JsonSchema | null {
    const builder = types.member(graph, 'builder');
    const channels = builder && types.member(builder, '_configSchema');
    if (!channels) return null;
    const declared = source.checker.getPropertiesOfType(source.checker.getNonNullableType(channels));
    return schemas.document(() => schemas.channelsSchema(declared, (channel) => types.updateOf(channel)));
  }
}
