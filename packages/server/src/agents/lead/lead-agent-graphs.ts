import type { AgentGraph } from '../loading/agents.ts';
import type { SavedWorkflow, SavedWorkflowRunner } from '../tools/workflow-runner.ts';

/** Number of users whose graph is kept ready. */
const maxKept = 200;

/**
 * Makes the lead agent's graph with each user's own tools. A graph is made again only when its user's workflows have changed, not
 * for every run. All users without workflows share one graph.
 */
export class LeadAgentGraphs {
  readonly #options;
  readonly #plain: AgentGraph;
  /** Ordered by use, the most recent last. */
  readonly #kept = new Map<string, { mark: number; graph: Promise<AgentGraph> }>();

  constructor(options: {
    /** Null when this gateway has no pool. */
    saved: Pick<SavedWorkflowRunner, 'mark' | 'exposed'> | null;
    make: (saved: readonly SavedWorkflow[]) => AgentGraph;
  }) {
    this.#options = options;
    this.#plain = options.make([]);
  }

  async of(userId: string): Promise<AgentGraph> {
    const { saved } = this.#options;
    if (!saved) return this.#plain;
    // Read before the list: the next caller then notices a change between the two reads.
    const mark = await saved.mark(userId);
    const kept = this.#kept.get(userId);
    const graph = kept?.mark === mark ? kept.graph : this.#make(userId, saved);
    this.#keep(userId, { mark, graph });
    return graph;
  }

  async #make(userId: string, saved: Pick<SavedWorkflowRunner, 'exposed'>): Promise<AgentGraph> {
    const workflows = await saved.exposed(userId);
    return workflows.length === 0 ? this.#plain : this.#options.make(workflows);
  }

  #keep(userId: string, made: { mark: number; graph: Promise<AgentGraph> }): void {
    this.#kept.delete(userId);
    this.#kept.set(userId, made);
    made.graph.catch(() => {
      if (this.#kept.get(userId)?.graph === made.graph) this.#kept.delete(userId);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
  }
}
