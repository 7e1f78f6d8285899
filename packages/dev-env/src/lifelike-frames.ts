/** One message of a worker between the start and the end of a run. */
export type LifelikeFrame =
  | { type: 'executing' | 'progress' | 'progress_state'; data: object }
  | { type: 'preview'; picture: Uint8Array };

interface NodeState {
  value: number;
  max: number;
  state: 'running' | 'finished';
}

const samplerSteps = 8;
/** About as large as the small JPEG that a sampler shows at each step. */
const preview = Buffer.alloc(10_000, 7);

/**
 * Returns what a genuine server sends while a graph runs: `progress_state` with every node that has started, at the start and the
 * end of each node and at each step. The node in the middle is the sampler, with steps and previews.
 */
export function* lifelikeFrames(promptId: string, nodes: readonly string[]): Generator<LifelikeFrame> {
  const states = new Map<string, NodeState>();
  const sampler = nodes[Math.floor(nodes.length / 2)];
  for (const node of nodes) {
    const max = node === sampler ? samplerSteps : 1;
    yield progressState(promptId, states.set(node, { value: 0, max, state: 'running' }));
    yield { type: 'executing', data: { node, display_node: node, prompt_id: promptId } };
    for (let value = 1; node === sampler && value <= max; value += 1) {
      yield { type: 'progress', data: { value, max, prompt_id: promptId, node } };
      yield progressState(promptId, states.set(node, { value, max, state: 'running' }));
      yield { type: 'preview', picture: preview };
    }
    yield progressState(promptId, states.set(node, { value: max, max, state: 'finished' }));
  }
}

function progressState(promptId: string, states: ReadonlyMap<string, NodeState>): LifelikeFrame {
  const nodes = [...states].map(([node, state]) => [
    node,
    {
      ...state,
      node_id: node,
      prompt_id: promptId,
      display_node_id: node,
      parent_node_id: null,
      real_node_id: node,
    },
  ]);
  return { type: 'progress_state', data: { prompt_id: promptId, nodes: Object.fromEntries(nodes) } };
}
