import { writtenLabel } from '@switchyard/contract/dispatch/field-name';
import type { RecipeValue } from '@switchyard/contract/dispatch/recipe';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { type Graph, ownTitle } from '../graphs/graph.ts';

export type PlaceNames = Pick<RecipeValue, 'title' | 'label' | 'input'>;
type Form = readonly WorkflowParameter[];

/** A screen has no use for more values. */
const maxValues = 1_000;

/** The plain values of a graph that has its params in it, by the names of its nodes and of its form. */
export function valuesOf(
  graph: Graph,
  { form, files }: { form: Form; files: ReadonlySet<unknown> },
): RecipeValue[] {
  const places = placesOf(form);
  const values = Object.entries(graph).flatMap(([nodeId, { inputs }]) =>
    Object.entries(inputs).flatMap(([input, value]) => {
      if (!isPlain(value) || files.has(value)) return [];
      const param = `${nodeId}.${input}`;
      const place = places.get(param);
      const hidden = place?.parameter.hidden ?? false;
      return [{ param, ...namesOf(graph, { nodeId, input, place }), hidden, value }];
    }),
  );
  const orderOf = ({ param }: RecipeValue) => places.get(param)?.index ?? form.length;
  return values.sort((a, b) => orderOf(a) - orderOf(b)).slice(0, maxValues);
}

/** Names paths such as `graph.3.inputs.seed`, each by the first recipe that has its node. */
export function placeNamer(recipes: readonly { graph: Graph; form: Form }[]): (path: string) => PlaceNames {
  const named = recipes.map(({ graph, form }) => ({ graph, places: placesOf(form) }));
  return (path) => {
    const [, nodeId = '', input] = graphPath.exec(path) ?? [];
    const recipe = named.find(({ graph }) => Object.hasOwn(graph, nodeId));
    if (recipe === undefined) return { title: null, label: null, input: null };
    const place = recipe.places.get(`${nodeId}.${input}`);
    return namesOf(recipe.graph, { nodeId, input: input ?? null, place });
  };
}

const graphPath = /^graph\.(.+?)(?:\.inputs(?:\.(.+))?|\.class_type|\._meta(?:\..+)?)$/;

type Place = { parameter: WorkflowParameter; index: number };

function placesOf(form: Form): Map<string, Place> {
  return new Map(
    form.flatMap((parameter, index) =>
      parameter.sets.map(({ node, input }): [string, Place] => [`${node}.${input}`, { parameter, index }]),
    ),
  );
}

function namesOf(
  graph: Graph,
  { nodeId, input, place }: { nodeId: string; input: string | null; place: Place | undefined },
): PlaceNames {
  const node = graph[nodeId];
  const title = node ? (ownTitle(node) ?? node.class_type) : null;
  return { title, label: place ? writtenLabel(place.parameter) : null, input };
}

function isPlain(value: unknown): value is RecipeValue['value'] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
