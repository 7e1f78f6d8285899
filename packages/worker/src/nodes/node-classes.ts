import { createNodes } from './create-nodes.ts';
import { loadNodes } from './load-nodes.ts';
import type { NodeClass } from './node-class.ts';
import { saveNodes } from './save-nodes.ts';
import { toneNodes } from './tone-nodes.ts';

/** Every node class of this worker. A new family is a new file and a line here. */
export const nodeClasses: readonly NodeClass[] = [...loadNodes, ...createNodes, ...toneNodes, ...saveNodes];
