import { type Compiler, openSource } from './compiler.ts';
import { graphSchemas } from './graph-schemas.ts';
import { GraphTypes } from './graph-types.ts';
import { type InnerGraph, InnerGraphs } from './inner-graphs.ts';
import type { ProgramRequest, SchemasByNamespace } from './json-schema.ts';

/** Graphs inside graphs beyond these are described by what is loaded alone. */
const maxGraphs = 50;

/** Describes the graph that a file exports, and the graphs inside it, by their types. */
export function sourceGraphs(compiler: Compiler, { file, exportName }: ProgramRequest): SchemasByNamespace {
  const source = openSource(compiler, file);
  const types = new GraphTypes(source);
  const inner = new InnerGraphs(source, types);
  const exported = types.exported(exportName);
  const compiled = types.compiled(types.typeOf(exported));
  if (!compiled) throw new Error(`the types do not say that ${exportName} is a graph${firstError()}`);
  const found: SchemasByNamespace = { '': graphSchemas(compiled, source, types) };
  add(inner.ofSymbol(exported), '');
  return found;

  function add(graphs: readonly InnerGraph[], within: string): void {
    for (const { node, value, compiled: type } of graphs) {
      const namespace = within === '' ? node : `${within}|${node}`;
      if (namespace in found || Object.keys(found).length >= maxGraphs) continue;
      found[namespace] = graphSchemas(type, source, types);
      add(inner.ofValue(value), namespace);
    }
  }

  /** What the compiler says of the file is the likely cause. */
  function firstError(): string {
    const { program, source: text } = source;
    const [first] = [...program.getSyntacticDiagnostics(text), ...program.getSemanticDiagnostics(text)];
    if (!first) return '';
    const line = text.getLineAndCharacterOfPosition(first.start ?? 0).line + 1;
    return `; line ${line}: ${compiler.flattenDiagnosticMessageText(first.messageText, ' ')}`;
  }
}
