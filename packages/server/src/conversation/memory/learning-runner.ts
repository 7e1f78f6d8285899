import { leadAgentName } from '../../agents/agent-ids.ts';
import type {
  AgentRunEnd,
  AgentRunner,
  AgentRunRequest,
  AgentRunTools,
} from '../../agents/run-contract/agent-run.ts';
import { unitPart } from '../../platform/database/unit-part.ts';
import type { ConversationTables } from '../tables.ts';
import type { MemoryLearning } from './memory-learning.ts';
import { spokenTurnIn } from './spoken-turn.ts';

/**
 * Stores the turns of the lead agent and of custom agents, so that facts can be learned from them. The run itself names the owner
 * of the turn, and the turn is stored exactly when the run has ended well. Turns of users' own graphs are not stored.
 */
export class LearningRunner implements AgentRunner {
  readonly #inner: AgentRunner;
  readonly #learning: Pick<MemoryLearning, 'keep' | 'isOn'>;

  constructor(inner: AgentRunner, learning: Pick<MemoryLearning, 'keep' | 'isOn'>) {
    this.#inner = inner;
    this.#learning = learning;
  }

  async run(request: AgentRunRequest, tools: AgentRunTools): Promise<AgentRunEnd> {
    const end = await this.#inner.run(request, tools);
    if (
      !this.#learning.isOn ||
      request.graphId !== leadAgentName ||
      end.outcome !== 'done' ||
      end.state.next.length > 0
    )
      return end;
    const turn = spokenTurnIn(end.state.values);
    if (!turn) return end;
    const { runId, threadId, userId, agentName: agent } = request;
    const kept = { runId, threadId, userId, agent, turn };
    return {
      ...end,
      rest: [...end.rest, unitPart<ConversationTables>((trx) => this.#learning.keep(trx, kept))],
    };
  }
}
