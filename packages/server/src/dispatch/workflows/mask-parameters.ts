import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { type Graph, isLink } from '../graphs/graph.ts';

/** The output of LoadImage that is its mask. */
const maskOutput = 1;

/**
 * Adds how each picture takes a mask. It follows from the graph, so it is not stored: a version that was saved before masks
 * could be painted has it as well.
 */
export function withMasks(graph: Graph, parameters: readonly WorkflowParameter[]): WorkflowParameter[] {
  return parameters.map((parameter) => {
    const mask = parameter.type === 'file' ? maskOf(graph, parameter) : undefined;
    return mask === undefined ? parameter : { ...parameter, mask };
  });
}

function maskOf(graph: Graph, { sets }: WorkflowParameter): WorkflowParameter['mask'] {
  for (const { node, input } of sets) {
    if (input !== 'image') continue;
    const { class_type } = graph[node] ?? {};
    if (class_type === 'LoadImageMask') return 'channel';
    if (class_type === 'LoadImage' && isMaskUsed(graph, node)) return 'alpha';
  }
  return undefined;
}

function isMaskUsed(graph: Graph, nodeId: string): boolean {
  return Object.values(graph).some(({ inputs }) =>
    Object.values(inputs).some((value) => isLink(value) && value[0] === nodeId && value[1] === maskOutput),
  );
}
