import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { isSeed } from '../../../kit/fields/seed.ts';

export interface NodeFields {
  node: string;
  title: string;
  parameters: WorkflowParameter[];
}

export interface FormGroups {
  basic: WorkflowParameter[];
  more: WorkflowParameter[];
  /** Every field, by the node that it belongs to. */
  all: NodeFields[];
}

const basicSize = 5;
/** Basic and More together. */
const shownSize = 10;

/** Which fields a person sees first. Hidden parameters are in none of the groups. */
export function groupsOf(parameters: readonly WorkflowParameter[]): FormGroups {
  const open = parameters.filter(({ hidden }) => !hidden);
  const all = byNode(open);
  // Someone has chosen already: by placeholders in the graph, or by hiding what is not to be set.
  if (open.length < parameters.length) return { basic: open, more: [], all };
  const ranked = open
    .map((parameter, index) => ({ parameter, index, rank: rankOf(parameter) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  const wanted = ranked.filter(({ rank }) => rank < ranks.more).slice(0, basicSize);
  const basic = wanted.length > 0 ? wanted : ranked.slice(0, basicSize);
  const rest = ranked.filter((each) => !basic.includes(each)).slice(0, shownSize - basic.length);
  return { basic: basic.map(parameterOf), more: rest.map(parameterOf), all };
}

const parameterOf = ({ parameter }: { parameter: WorkflowParameter }): WorkflowParameter => parameter;

const ranks = {
  placeholder: 0,
  prompt: 1,
  negative: 2,
  media: 3,
  seed: 4,
  size: 5,
  more: 6,
  rest: 7,
} as const;

/** The lower, the earlier a person wants to set it. */
function rankOf(parameter: WorkflowParameter): number {
  const { type, placeholder, multiline, sets } = parameter;
  const { input = '', title = '' } = sets[0] ?? {};
  if (placeholder !== null) return ranks.placeholder;
  const isPrompt =
    type === 'string' && (multiline || /^(text|prompt|positive|negative|caption)/i.test(input));
  if (isPrompt) return /negative/i.test(`${title} ${input}`) ? ranks.negative : ranks.prompt;
  if (type === 'file') return ranks.media;
  if (isSeed(parameter)) return ranks.seed;
  if (/^(width|height|batch_size|scale_by|megapixels|upscale_by)$/i.test(input)) return ranks.size;
  return /^(steps|cfg|guidance|denoise|sampler_name|scheduler|fps|frame_rate|length)$/i.test(input) ||
    type === 'model'
    ? ranks.more
    : ranks.rest;
}

function byNode(parameters: readonly WorkflowParameter[]): NodeFields[] {
  const nodes = new Map<string, NodeFields>();
  for (const parameter of parameters) {
    const { node = '', title = '' } = parameter.sets[0] ?? {};
    const found = nodes.get(node);
    if (found) found.parameters.push(parameter);
    else nodes.set(node, { node, title, parameters: [parameter] });
  }
  return [...nodes.values()];
}
