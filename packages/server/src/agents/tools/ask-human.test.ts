import type { BaseMessage } from '@langchain/core/messages';
import { Command, MemorySaver } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { PoolFilesInMemory } from '../../../testing/pool-files-fixture.ts';
import { savedWorkflows } from '../../../testing/saved-workflows-fixture.ts';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { AppError } from '../../lib/app-error.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { runHandleKey } from '../run-contract/run-handle.ts';
import { runWorkflowTool } from './run-workflow.ts';
import type { WorkflowOrder, WorkflowRunner } from './workflow-runner.ts';

describe('a workflow that a human has to approve', () => {
  it('interrupts the run with a question that chat clients know', async () => {
    const pool = new Pool();
    const state = await pool.ask();

    expect(state.__interrupt__).toMatchObject([
      {
        value: {
          actionRequests: [
            { name: 'run_workflow', args: { workflow: {}, params: {}, name: null }, description: 'May I?' },
          ],
          reviewConfigs: [{ actionName: 'run_workflow', allowedDecisions: ['approve', 'reject'] }],
        },
      },
    ]);
    expect(pool.orders).toEqual([]);
  });

  it('runs once it is approved, even when it would no longer need approval', async () => {
    const pool = new Pool();
    await pool.ask();
    pool.question = null;
    const { messages } = await pool.answer({ decisions: [{ type: 'approve' }] });

    expect(pool.orders.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['r1:c1']);
    expect(JSON.parse(messages[2]?.text ?? '')).toMatchObject({ task_id: 'task-1', status: 'completed' });
  });

  it.each([
    [{ decisions: [{ type: 'reject', message: 'Too large.' }] }, 'did not run. Too large.'],
    [{ decisions: [{ type: 'reject' }] }, 'The user did not approve'],
    [{ decisions: [] }, 'gave no decision'],
    ['yes', 'gave no decision'],
  ])('does not run for %j, and the turn goes on', async (answer, words) => {
    const pool = new Pool();
    await pool.ask();
    // A refusal stays valid, although the workflow would no longer need approval.
    pool.question = null;
    const { messages } = await pool.answer(answer);

    expect(pool.orders).toEqual([]);
    expect(messages[2]).toMatchObject({ type: 'tool', status: 'error', tool_call_id: 'c1' });
    expect(messages[2]?.text).toContain(words);
    expect(messages[3]?.text).toBe('Well.');
  });

  it('does not interrupt when no approval is needed', async () => {
    const pool = new Pool();
    pool.question = null;
    const state = await pool.ask();

    expect(state.__interrupt__).toBeUndefined();
    expect(pool.orders).toHaveLength(1);
  });

  it('is refused at once when it cannot run, and no one is asked', async () => {
    const pool = new Pool();
    pool.question = new AppError('invalid_workflow');

    const state = await pool.ask();
    expect(state.__interrupt__).toBeUndefined();
    expect(state.messages[2]?.text).toContain('The workflow cannot run.');
    expect(pool.orders).toEqual([]);
  });
});

type State = { messages: BaseMessage[]; __interrupt__?: unknown };

class Pool {
  readonly orders: WorkflowOrder[] = [];
  question: string | Error | null = 'May I?';
  readonly #graph: AgentGraph;

  constructor() {
    const workflows: WorkflowRunner = {
      submit: async (order) => {
        this.orders.push(order);
        return { taskId: 'task-1' };
      },
      async *watch() {
        yield { type: 'completed', files: [], texts: [] };
      },
      cancel: async () => {},
      cancelOfRun: async () => {},
      instances: async () => [],
      saved: savedWorkflows([]),
      files: new PoolFilesInMemory(),
      approvals: {
        question: async () => {
          if (this.question instanceof Error) throw this.question;
          return this.question;
        },
      },
    };
    const call = { name: 'run_workflow', args: { workflow: {} }, id: 'c1' };
    const model = new ScriptedModel('m', (messages) =>
      messages.some(({ type }) => type === 'tool') ? { text: 'Well.' } : { calls: [call] },
    );
    const agent = createAgent({
      model,
      tools: [runWorkflowTool({ workflows, workspace: null })],
      checkpointer: new MemorySaver(),
    });
    this.#graph = agent.graph as unknown as AgentGraph;
  }

  async ask(): Promise<State> {
    return this.#graph.invoke({ messages: [{ role: 'user', content: 'go' }] }, config());
  }

  async answer(resume: unknown): Promise<State> {
    return this.#graph.invoke(new Command({ resume }), config());
  }
}

function config() {
  const handle = { runId: 'r1', threadId: 't1', userId: 'u1', beforeActing: async () => {} };
  return { configurable: { thread_id: 't1', [runHandleKey]: handle } };
}
