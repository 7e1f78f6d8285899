import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';

const maxChoices = 200;
const maxNamed = 20;
const maxDefaultLength = 500;

/**
 * JSON Schema of the `params` of a workflow: command lines and agent tools are made from it. The pinned parameters come
 * first, since a model fills in what it reads first.
 */
export function schemaOf(parameters: readonly WorkflowParameter[]): Record<string, unknown> {
  const shown = parameters.filter(({ hidden }) => !hidden);
  const open = [...shown.filter(({ pinned }) => pinned), ...shown.filter(({ pinned }) => !pinned)];
  return {
    type: 'object',
    properties: Object.fromEntries(open.map((parameter) => [parameter.name, propertyOf(parameter)])),
    required: open.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function propertyOf(parameter: WorkflowParameter): Record<string, unknown> {
  const { label, description, minimum, maximum, default: value } = parameter;
  const text = [description, remark(parameter)].filter(Boolean).join('. ');
  return {
    ...typeOf(parameter),
    title: label,
    ...(text && { description: text }),
    ...(minimum !== null && { minimum }),
    ...(maximum !== null && { maximum }),
    ...(value !== null && !isLong(value) && { default: value }),
  };
}

function typeOf({ type, choices }: WorkflowParameter): Record<string, unknown> {
  switch (type) {
    case 'choice':
      return { type: 'string', ...(choices && choices.length <= maxChoices && { enum: choices }) };
    case 'model':
      return { type: 'string' };
    case 'file':
      return { anyOf: [fileReference, { type: 'string' }] };
    case 'any':
      return { type: ['string', 'number', 'boolean'] };
    default:
      return { type };
  }
}

const fileReference = {
  type: 'object',
  properties: { $file: { type: 'string', description: 'Id of an uploaded file.' } },
  required: ['$file'],
  additionalProperties: false,
};

function remark({ type, choices }: WorkflowParameter): string | null {
  if (choices === null || (type === 'choice' && choices.length <= maxChoices)) return null;
  return `Known: ${choices.slice(0, maxNamed).join(', ')}${choices.length > maxNamed ? ' and more' : ''}`;
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && value.length > maxDefaultLength;
}
