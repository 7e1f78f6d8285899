import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { isPrompt, isStrength } from '../../../kit/fields/field-control.ts';
import { isSeed } from '../../../kit/fields/seed.ts';
import { labelOf } from './form-label.ts';

/** One place of the form: a field, or the width and the height of one node together. */
export type FormItem =
  | { kind: 'field'; parameter: WorkflowParameter }
  | { kind: 'size'; width: WorkflowParameter; height: WorkflowParameter };

export interface NodeItems {
  node: string;
  title: string;
  items: FormItem[];
}

export interface FormGroups {
  basic: FormItem[];
  /** Every other field, by the node that it belongs to. */
  more: NodeItems[];
}

/** A form of more places hides what is set most often below what is set seldom. */
const maxBasic = 16;

/** Returns which fields a person sees first. Hidden parameters are in none of the groups. */
export function groupsOf(parameters: readonly WorkflowParameter[]): FormGroups {
  const open = parameters.filter(({ hidden }) => !hidden);
  const basic = itemsOf(firstOf(open, parameters)).slice(0, maxBasic);
  const shown = new Set(basic.flatMap(parametersOf));
  return { basic, more: byNode(open.filter((parameter) => !shown.has(parameter))) };
}

/** The fields of one place of the form. */
export function parametersOf(item: FormItem): WorkflowParameter[] {
  return item.kind === 'size' ? [item.width, item.height] : [item.parameter];
}

/** Returns the places whose label, node or input has all these words. */
export function matching(
  nodes: readonly NodeItems[],
  words: string,
  labelled: typeof labelOf = labelOf,
): NodeItems[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (item: FormItem, title: string) => {
    const names = parametersOf(item).flatMap((parameter) => [
      labelled(parameter, [], { belowTitle: true }),
      parameter.name,
      ...parameter.sets.map(({ input }) => input),
    ]);
    const text = [title, ...names].join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  return nodes
    .map((node) => ({ ...node, items: node.items.filter((item) => fits(item, node.title)) }))
    .filter(({ items }) => items.length > 0);
}

function firstOf(
  open: readonly WorkflowParameter[],
  all: readonly WorkflowParameter[],
): readonly WorkflowParameter[] {
  const pinned = open.filter((parameter) => parameter.pinned);
  if (pinned.length > 0) return pinned;
  // Someone has chosen already: by placeholders in the graph, or by hiding what is not to be set.
  if (open.length < all.length) return open;
  const ranked = open
    .map((parameter, index) => ({ parameter, index, rank: rankOf(parameter) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  const wanted = ranked.filter(({ rank }) => rank < ranks.rest);
  return (wanted.length > 0 ? wanted : ranked.slice(0, fewFields)).map(({ parameter }) => parameter);
}

/** The number of fields that stand first where none is of a kind that a person looks for. */
const fewFields = 5;

const ranks = {
  placeholder: 0,
  prompt: 1,
  negative: 2,
  media: 3,
  seed: 4,
  size: 5,
  model: 6,
  strength: 7,
  rest: 8,
} as const;

/** The lower, the earlier a person wants to set it. */
function rankOf(parameter: WorkflowParameter): number {
  const { type, placeholder, sets } = parameter;
  const { input = '', title = '' } = sets[0] ?? {};
  if (placeholder !== null) return ranks.placeholder;
  if (isPrompt(parameter)) return /negative/i.test(`${title} ${input}`) ? ranks.negative : ranks.prompt;
  if (type === 'file') return ranks.media;
  if (isSeed(parameter)) return ranks.seed;
  if (sideOf(parameter) || /^(batch_size|scale_by|megapixels|upscale_by|length)$/i.test(input))
    return ranks.size;
  if (type === 'model') return ranks.model;
  return isStrength(parameter) ? ranks.strength : ranks.rest;
}

/** Which side of which size a field is: a node may have several, such as `width` and `crop_width`. */
function sideOf({ type, sets, choices }: WorkflowParameter): { side: 'width' | 'height'; of: string } | null {
  const [set] = sets;
  const found = /^(.*_)?(width|height)$/i.exec(set?.input ?? '');
  const isNumber = (type === 'integer' || type === 'number') && choices === null;
  if (!set || !found || !isNumber || sets.length > 1) return null;
  const side = found[2]?.toLowerCase() === 'width' ? 'width' : 'height';
  return { side, of: JSON.stringify([set.node, found[1] ?? '']) };
}

/** Puts the width and the height of the same node together, where the first of them stands. */
function itemsOf(parameters: readonly WorkflowParameter[]): FormItem[] {
  const pairs = new Map<string, Partial<Record<'width' | 'height', WorkflowParameter>>>();
  for (const parameter of parameters) {
    const place = sideOf(parameter);
    if (place) pairs.set(place.of, { [place.side]: parameter, ...pairs.get(place.of) });
  }
  return parameters.flatMap((parameter): FormItem[] => {
    const { width, height } = pairs.get(sideOf(parameter)?.of ?? '') ?? {};
    if (!width || !height || (parameter !== width && parameter !== height))
      return [{ kind: 'field', parameter }];
    const isFirst = parameters.indexOf(parameter) < parameters.indexOf(parameter === width ? height : width);
    return isFirst ? [{ kind: 'size', width, height }] : [];
  });
}

function byNode(parameters: readonly WorkflowParameter[]): NodeItems[] {
  const nodes = new Map<string, { title: string; fields: WorkflowParameter[] }>();
  for (const parameter of parameters) {
    const { node = '', title = '' } = parameter.sets[0] ?? {};
    const found = nodes.get(node);
    if (found) found.fields.push(parameter);
    else nodes.set(node, { title, fields: [parameter] });
  }
  return [...nodes].map(([node, { title, fields }]) => ({ node, title, items: itemsOf(fields) }));
}
