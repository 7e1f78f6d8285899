import { isRecord } from '@switchyard/contract/is-record';
import { leadAgentName } from '../../agents/agent-ids.ts';
import { modelNode } from '../../agents/langchain.ts';
import type {
  AgentRunEnd,
  AgentRunner,
  AgentRunRequest,
  AgentRunTools,
  StateView,
} from '../../agents/run-contract/agent-run.ts';
import type { AskInRun } from '../../agents/running/run-asker.ts';
import { clarificationTool } from '../../agents/tools/clarification-request.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ThreadGoalRow } from '../tables.ts';
import { type Decision, decide, type Finding, goalView } from './goal.ts';
import { continuationText, evaluationPrompt, findingIn } from './goal-evaluation.ts';
import { type GoalStore, writeGoal } from './goal-store.ts';

/** A run with what it has reached so far. */
interface Reached {
  request: AgentRunRequest;
  tools: AgentRunTools;
  end: AgentRunEnd;
  isAfterContinuation: boolean;
}

/**
 * Lets the lead agent go on by itself in a thread with a goal: when its turn is over a model judges the goal, and a hidden message
 * begins the next turn in the same run, so that a client that follows the run sees all of it.
 */
export class GoalRunner implements AgentRunner {
  readonly #options;

  constructor(options: {
    inner: AgentRunner;
    store: Pick<GoalStore, 'find' | 'othersWait'>;
    /** Null while there is only the demo model. */
    ask: AskInRun | null;
    newId: () => string;
    clock: Clock;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  async run(request: AgentRunRequest, tools: AgentRunTools): Promise<AgentRunEnd> {
    const { inner, store } = this.#options;
    let end = await inner.run(request, tools);
    if (request.graphId !== leadAgentName) return end;
    const { threadId } = request;
    let goal = await store.find(threadId);
    for (let isAfterContinuation = false; goal; isAfterContinuation = true) {
      // The messages are stored before the goal is judged, which takes a while and may be stopped.
      if (end.outcome === 'done') {
        await tools.recorder.write(...end.rest);
        end = { ...end, rest: [] };
      }
      const decision = await this.#judge(goal, { request, tools, end, isAfterContinuation });
      tell(decision, { tools, request, state: end.state });
      if (end.outcome === 'failed' || decision.goal === null || !decision.goesOn) {
        const part = writeGoal(threadId, decision.goal);
        if (end.outcome === 'done') return { ...end, rest: [part] };
        await tools.recorder.write(part);
        return end;
      }
      goal = decision.goal;
      await tools.recorder.write(writeGoal(threadId, goal));
      end = await inner.run(this.#continuation(request, goal), tools);
    }
    return end;
  }

  async #judge(goal: ThreadGoalRow, reached: Reached): Promise<Decision> {
    const { store, clock } = this.#options;
    const { request, tools, end, isAfterContinuation } = reached;
    const finding = await this.#finding(goal, reached);
    const circumstances = {
      isAfterContinuation,
      wasStoppedEarly: end.outcome === 'done' && end.stopReason !== undefined,
      othersWait: await store.othersWait(request.threadId, request.runId),
      at: toIso(clock()),
    };
    tools.signal.throwIfAborted();
    return decide(goal, finding, circumstances);
  }

  async #finding(goal: ThreadGoalRow, { request, tools, end }: Reached): Promise<Finding> {
    if (end.outcome === 'failed') return standDown('run_failed', end.error.message);
    if (isWaiting(end.state))
      return standDown('needs_user_input', 'The agent waits for an answer of the user.');
    const { ask } = this.#options;
    if (!ask) return standDown('goal_not_met_yet', 'No model is configured that could judge it.', 'no_model');
    const prompt = evaluationPrompt(goal.objective, end.state.values.messages);
    return this.#judged(ask, prompt, { request, tools });
  }

  async #judged(
    ask: AskInRun,
    prompt: string,
    { request, tools }: Pick<Reached, 'request' | 'tools'>,
  ): Promise<Finding> {
    const failed = 'evaluation_failed';
    try {
      const answer = await ask(prompt, { tag: 'middleware:goal', request, tools });
      return findingIn(answer) ?? standDown('goal_not_met_yet', 'The model gave no evaluation.', failed);
    } catch (error) {
      tools.signal.throwIfAborted();
      this.#options.log.warn(
        { err: error, runId: request.runId },
        'The goal of a thread could not be evaluated',
      );
      return standDown('goal_not_met_yet', 'The model that judges it failed.', failed);
    }
  }

  #continuation(request: AgentRunRequest, goal: ThreadGoalRow): AgentRunRequest {
    const reason = goalView(goal).last_evaluation?.reason ?? '';
    const message = {
      type: 'human',
      id: this.#options.newId(),
      content: continuationText(goal.objective, reason),
      additional_kwargs: { hide_from_ui: true, deerflow_goal_continuation: true },
    };
    // With plain input LangGraph would take the last states of the run for ones to resume from.
    const command = { update: { messages: [message] }, goto: modelNode };
    return { ...request, attempt: 1, input: null, command, checkpoint: null };
  }
}

function tell(
  { goal, goesOn }: Decision,
  { tools, request, state }: { tools: AgentRunTools; request: AgentRunRequest; state: StateView | null },
): void {
  const shown = goal && goalView(goal);
  const action = goal === null ? 'satisfied' : goesOn ? 'continue' : 'stand_down';
  tools.recorder.record({
    event_type: 'middleware:goal',
    category: 'middleware',
    content: { name: 'Goal', hook: null, action, changes: { goal: shown } },
    origin: null,
  });
  if (state && request.streamModes.includes('values'))
    tools.frame('values', { ...state.values, goal: shown });
}

function standDown(
  blocker: Finding['evaluation']['blocker'],
  reason: string,
  stand_down_reason: string = blocker,
): Finding {
  return { evaluation: { satisfied: false, blocker, reason, stand_down_reason }, hasProgress: false };
}

/** A question to the user ends a turn, whether the graph is interrupted or the agent has asked with its tool. */
function isWaiting({ next, values: { messages } }: StateView): boolean {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return next.length > 0 || (isRecord(last) && last.name === clarificationTool);
}
