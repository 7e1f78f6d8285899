import { toText } from '../prompt/python.ts';
import { anything, decimal, flag, image, integer, text } from './inputs.ts';
import { defineNode, type NodeClass } from './node-class.ts';

const long = Number.MAX_SAFE_INTEGER;

/** Nodes for typed values and for results that are not pictures. */
export const textNodes: readonly NodeClass[] = [
  defineNode('PrimitiveString', {
    displayName: 'String',
    category: 'utils/primitive',
    required: { value: text() },
    outputs: ['STRING'],
    execute: async ({ value }) => ({ values: [value] }),
  }),
  defineNode('PrimitiveStringMultiline', {
    displayName: 'String (Multiline)',
    category: 'utils/primitive',
    required: { value: text({ multiline: true }) },
    outputs: ['STRING'],
    execute: async ({ value }) => ({ values: [value] }),
  }),
  defineNode('PrimitiveInt', {
    displayName: 'Int',
    category: 'utils/primitive',
    required: { value: integer({ default: 0, min: -long, max: long }) },
    outputs: ['INT'],
    execute: async ({ value }) => ({ values: [value] }),
  }),
  defineNode('PrimitiveFloat', {
    displayName: 'Float',
    category: 'utils/primitive',
    required: { value: decimal({ default: 0, min: -long, max: long }) },
    outputs: ['FLOAT'],
    execute: async ({ value }) => ({ values: [value] }),
  }),
  defineNode('PrimitiveBoolean', {
    displayName: 'Boolean',
    category: 'utils/primitive',
    required: { value: flag(false) },
    outputs: ['BOOLEAN'],
    execute: async ({ value }) => ({ values: [value] }),
  }),
  defineNode('StringConcatenate', {
    displayName: 'Concatenate',
    category: 'utils/string',
    required: {
      string_a: text({ multiline: true }),
      string_b: text({ multiline: true }),
      delimiter: text({ default: '' }),
    },
    outputs: ['STRING'],
    execute: async ({ string_a: left, string_b: right, delimiter }) => ({
      values: [left + delimiter + right],
    }),
  }),
  defineNode('GetImageSize', {
    displayName: 'Get Image Size',
    description: 'Returns width and height of the image, and passes it through unchanged.',
    category: 'image',
    required: { image: image() },
    hidden: { unique_id: 'UNIQUE_ID' },
    outputs: [
      ['INT', 'width'],
      ['INT', 'height'],
      ['INT', 'batch_size'],
    ],
    execute: async ({ image: { width, height, frames } }, run) => {
      run.sendText(`width: ${width}, height: ${height}\n batch size: ${frames.length}`);
      return { values: [width, height, frames.length] };
    },
  }),
  defineNode('PreviewAny', {
    displayName: 'Preview Any',
    category: 'utils',
    required: { source: anything() },
    outputs: [],
    isOutput: true,
    execute: async ({ source }) => ({ ui: { text: [printed(source)] } }),
  }),
];

function printed(value: unknown): string {
  if (typeof value !== 'object' || value === null) return toText(value);
  if (!('frames' in value)) return JSON.stringify(value, undefined, 4);
  const { width, height, frames } = value as { width: number; height: number; frames: unknown[] };
  return `${frames.length} frames of ${width} × ${height}`;
}
