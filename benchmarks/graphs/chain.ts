import type { Workflow } from './workflows.ts';

/** A graph of this many nodes in a row, with one picture at its end. No two seeds make equal graphs. */
export function chain(nodes: number, seed: number): Workflow {
  const graph: Workflow = {
    '1': {
      class_type: 'EmptyImage',
      inputs: { width: 64, height: 64, batch_size: 1, color: seed % 0xffffff },
    },
  };
  for (let node = 2; node < nodes; node += 1)
    graph[node] = { class_type: 'ImageInvert', inputs: { image: [String(node - 1), 0] } };
  graph[nodes] = {
    class_type: 'SaveImage',
    inputs: { images: [String(nodes - 1), 0], filename_prefix: `life/${seed}` },
  };
  return graph;
}
