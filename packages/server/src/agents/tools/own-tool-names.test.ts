import { describe, expect, it } from 'vitest';
import { savedWorkflows } from '../../../testing/saved-workflows-fixture.ts';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { createLeadAgent, type LeadAgentOptions, ownToolNames } from '../lead/lead-agent.ts';
import { runHandleKey } from '../run-contract/run-handle.ts';
import { generalPurpose } from '../subagents/subagent-settings.ts';
import type { WorkflowRunner } from './workflow-runner.ts';
import { isWorkflowTool } from './workflow-tool-name.ts';
import type { Workspace } from './workspace.ts';

/** Answers at once and remembers which tools it was offered. */
class ListeningModel extends ScriptedModel {
  readonly offered = new Set<string>();

  override bindTools(tools?: { name?: string; function?: { name: string } }[]) {
    for (const { name, function: described } of tools ?? []) this.offered.add(name ?? described?.name ?? '');
    return this;
  }
}

describe('the names of the gateway’s own tools', () => {
  const model = new ListeningModel('m', () => ({ text: 'Hello.' }));
  const seeing = { name: 'm', supports_vision: true } as never;
  const options: LeadAgentOptions = {
    models: { of: async () => model as never, configOf: () => seeing, fallbacksOf: () => [] },
    turn: {
      title: { enabled: false, model: null },
      summarization: { enabled: false, model: null, tokens: 1_000, messages: 10, keep: 4 },
      subagents: { types: [generalPurpose({ maxTurns: 5, timeoutMs: 1_000 })], maxConcurrent: 3 },
    },
    workflows: { saved: savedWorkflows([]), approvals: null } as unknown as WorkflowRunner,
    workspace: { list: async () => [] } as unknown as Workspace,
    log: { warn: () => undefined },
  };

  it('are all that a model is ever offered, except those of workflows and other servers', async () => {
    const handle = { runId: 'r', threadId: 't', userId: 'u', beforeActing: async () => {}, tell: () => {} };
    await createLeadAgent(options).invoke(
      { messages: [{ role: 'user', content: 'hello' }] },
      {
        configurable: { thread_id: 't', [runHandleKey]: handle },
        context: { subagent_enabled: true, is_plan_mode: true },
      },
    );

    expect(model.offered).toContain('task');
    expect(model.offered).toContain('view_image');
    expect([...model.offered].filter((name) => !ownToolNames(options).has(name))).toEqual([]);
  });

  it('never look like names of workflows', () => {
    expect([...ownToolNames(options)].filter(isWorkflowTool)).toEqual([]);
  });
});
