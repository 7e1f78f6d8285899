import type { FileRecipe, RecipeValue } from '@switchyard/contract/dispatch/recipe';
import { type Graph, ownTitle, parseGraph } from '../graphs/graph.ts';
import { applyParams, fileIdsIn } from '../graphs/params.ts';
import { valuesOf } from './recipe-names.ts';
import type { RecipeRows } from './recipe-store.ts';

const seedName = /(^|_)seed$/i;

/** The graph with its params in it. Each file stands there by its content. */
export function graphOf({ input, sources }: GraphRows): Graph {
  const params = paramsOf(input);
  const fileNames = namesOfFiles(params, sources);
  const graph = parseGraph(JSON.parse(input.workflow));
  return applyParams({ graph, params, strict: false, fileNames }).graph;
}

export function recipeValues(rows: GraphRows & Pick<RecipeRows, 'form'>): RecipeValue[] {
  const files = new Set(namesOfFiles(paramsOf(rows.input), rows.sources).values());
  return valuesOf(graphOf(rows), { form: rows.form, files });
}

type GraphRows = Pick<RecipeRows, 'sources'> & { input: Pick<RecipeRows['input'], 'workflow' | 'params'> };

function paramsOf({ params }: GraphRows['input']): Record<string, unknown> {
  return JSON.parse(params) as Record<string, unknown>;
}

/** The name by which each file stands in the graph. */
function namesOfFiles(params: Record<string, unknown>, sources: GraphRows['sources']): Map<string, string> {
  const contents = new Map(sources.map(({ fileId, sha256 }) => [fileId, `sha256:${sha256}`]));
  // Tasks of earlier versions did not keep the content of their inputs.
  return new Map(fileIdsIn(params).map((id) => [id, contents.get(id) ?? `file:${id}`]));
}

/** A seed that comes over a link belongs to the node at the other end. */
export function seedsIn(graph: Graph): FileRecipe['seeds'] {
  return Object.entries(graph).flatMap(([nodeId, node]) =>
    Object.entries(node.inputs).flatMap(([input, value]) => {
      if (!seedName.test(input) || typeof value !== 'number') return [];
      return [{ nodeId, title: ownTitle(node) ?? node.class_type, input, value }];
    }),
  );
}
