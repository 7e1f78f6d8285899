import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import { type Graph, ownTitle, parseGraph } from '../graphs/graph.ts';
import { applyParams, fileIdsIn } from '../graphs/params.ts';
import type { RecipeRows } from './recipe-store.ts';

const seedName = /(^|_)seed$/i;

/** The graph with its params in it. Each file stands there by its content. */
export function graphOf({
  input,
  sources,
}: Pick<RecipeRows, 'sources'> & { input: Pick<RecipeRows['input'], 'workflow' | 'params'> }): Graph {
  const params = JSON.parse(input.params) as Record<string, unknown>;
  const contents = new Map(sources.map(({ fileId, sha256 }) => [fileId, `sha256:${sha256}`]));
  // Tasks of earlier versions did not keep the content of their inputs.
  const fileNames = new Map(fileIdsIn(params).map((id) => [id, contents.get(id) ?? `file:${id}`]));
  const graph = parseGraph(JSON.parse(input.workflow));
  return applyParams({ graph, params, strict: false, fileNames }).graph;
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
