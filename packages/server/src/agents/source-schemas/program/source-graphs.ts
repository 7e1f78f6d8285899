import type * as ts from 'typescript-5';
import type { OpenedSource } from './compiler.ts';
import { GraphTypes } from './graph-types.ts';
import { type InnerGraph, InnerGraphs } from './inner-graphs.ts';
import type { GraphSchemas, JsonSchema, SchemasByNamespace } from './json-schema.ts';
import { anything } from './simple-schemas.ts';
import { TypeSchemas } from './type-schemas.ts';

/** Graphs inside graphs beyond these are described by what is loaded alone. */
const maxGraphs = 50;

/** Describes the graph that a file exports, and the graphs inside it, by their types. Throws the reason when they say nothing. */
export function sourceGraphs(source: OpenedSource, exportName: string): SchemasByNamespace {
  const types = new GraphTypes(source);
  const inner = new InnerGraphs(source, types);
  const exported = types.exported(exportName);
  const compiled = types.compiled(types.typeOf(exported));
  if (!compiled) throw new Error(`the types do not say that ${exportName} is a graph${firstError()}`);
  const found: SchemasByNamespace = { '': graphSchemas(compiled, source, types) };
  add(inner.ofSymbol(exported), '');
  const isTold = Object.values(found).some(({ input, output, state }) => input ?? output ?? state);
  if (!isTold) throw new Error(`the types of ${exportName} say nothing${firstError()}`);
  return found;

  function add(graphs: readonly InnerGraph[], within: string): void {
    for (const { node, value, compiled: type } of graphs) {
      const namespace = within === '' ? node : `${within}|${node}`;
      if (Object.hasOwn(found, namespace) || Object.keys(found).length >= maxGraphs) continue;
      found[namespace] = graphSchemas(type, source, types);
      add(inner.ofValue(value), namespace);
    }
  }

  /** The compiler's message about the file is the likely cause. */
  function firstError(): string {
    const { compiler, program, source: text } = source;
    const [first] = [...program.getSyntacticDiagnostics(text), ...program.getSemanticDiagnostics(text)];
    if (!first) return '';
    const line = text.getLineAndCharacterOfPosition(first.start ?? 0).line + 1;
    return `; line ${line}: ${compiler.flattenDiagnosticMessageText(first.messageText, ' ')}`;
  }
}

/** Makes the schemas of a compiled graph from its type. */
function graphSchemas(graph: ts.Type, source: OpenedSource, types: GraphTypes): GraphSchemas {
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
