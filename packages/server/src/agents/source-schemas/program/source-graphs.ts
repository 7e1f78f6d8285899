import type { OpenedSource } from './compiler.ts';
import { graphSchemas } from './graph-schemas.ts';
import { GraphTypes } from './graph-types.ts';
import { type InnerGraph, InnerGraphs } from './inner-graphs.ts';
import type { SchemasByNamespace } from './json-schema.ts';

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

  /** What the compiler says of the file is the likely cause. */
  function firstError(): string {
    const { compiler, program, source: text } = source;
    const [first] = [...program.getSyntacticDiagnostics(text), ...program.getSemanticDiagnostics(text)];
    if (!first) return '';
    const line = text.getLineAndCharacterOfPosition(first.start ?? 0).line + 1;
    return `; line ${line}: ${compiler.flattenDiagnosticMessageText(first.messageText, ' ')}`;
  }
}
