import { batchNodes } from './batch-nodes.ts';
import { compositeNodes } from './composite-nodes.ts';
import { createNodes } from './create-nodes.ts';
import { filterNodes } from './filter-nodes.ts';
import { geometryNodes } from './geometry-nodes.ts';
import { loadNodes } from './load-nodes.ts';
import { maskNodes } from './mask-nodes.ts';
import type { NodeClass } from './node-class.ts';
import { saveNodes } from './save-nodes.ts';
import { scaleNodes } from './scale-nodes.ts';
import { streamNodes } from './stream-nodes.ts';
import { textNodes } from './text-nodes.ts';
import { toneNodes } from './tone-nodes.ts';

/** Every node class of this worker. A new family is a new file and a line here. */
export const nodeClasses: readonly NodeClass[] = [
  ...loadNodes,
  ...createNodes,
  ...scaleNodes,
  ...geometryNodes,
  ...batchNodes,
  ...toneNodes,
  ...filterNodes,
  ...compositeNodes,
  ...maskNodes,
  ...textNodes,
  ...saveNodes,
  ...streamNodes,
];
