import { describe, expect, it } from 'vitest';
import type { WorkflowOrder } from '../agents/tools/workflow-runner.ts';
import type { CallCost } from '../dispatch/tasks/task-costs.ts';
import type { WorkerPrice } from '../lib/worker-price.ts';
import { type ApprovalPolicy, WorkflowBudget } from './workflow-budget.ts';

describe('over_budget', () => {
  it('lets a call continue that fits into the budget', async () => {
    const desk = new Desk({ estimate: 30 });
    desk.ofRun = [{ taskId: 't-c0', toolCallId: 'c0', seconds: 70, hasEnded: true }];

    expect(await desk.question('c1')).toBeNull();
  });

  it('asks about a call that exceeds it', async () => {
    const desk = new Desk({ estimate: 31 });
    desk.ofRun = [{ taskId: 't-c0', toolCallId: 'c0', seconds: 70, hasEnded: true }];

    expect(await desk.question('c1')).toBe(
      'A workflow may go beyond the budget of this run: 70 of 100 s are used. It will take about 31 s.',
    );
  });

  it('asks about a workflow that has never run', async () => {
    expect(await new Desk({ estimate: null }).question('c1')).toContain('is not known');
  });

  it('counts calls of one turn together, although none has its task yet', async () => {
    const desk = new Desk({ estimate: 40 });
    const questions = await Promise.all(['c1', 'c2', 'c3'].map((call) => desk.question(call)));

    expect(questions.map((question) => question === null)).toEqual([true, true, false]);
    expect(questions[2]).toContain('80 of 100 s are used');
  });

  it('counts a running task by its estimate, and a finished task by its actual time', async () => {
    const desk = new Desk({ estimate: 60 });
    await desk.question('c1');
    desk.ofRun = [{ taskId: 't-c1', toolCallId: 'c1', seconds: 1, hasEnded: false }];
    expect(await desk.question('c2')).toContain('60 of 100 s');

    desk.ofRun = [{ taskId: 't-c1', toolCallId: 'c1', seconds: 20, hasEnded: true }];
    expect(await desk.question('c2')).toBeNull();
  });

  it('counts each run separately', async () => {
    const desk = new Desk({ estimate: 60 });

    expect(await desk.question('c1', 'r1')).toBeNull();
    expect(await desk.question('c1', 'r2')).toBeNull();
  });

  it('never asks about a call that already has its task', async () => {
    const desk = new Desk({ estimate: null });
    desk.submitted.add('r1:c1');

    expect(await desk.question('c1')).toBeNull();
  });
});

describe('over_budget in money', () => {
  const budget = { kind: 'cost', max: 0.5, pricePerHour: 36 } as const;

  it('lets a call continue that it can pay, and asks about one that it cannot', async () => {
    const fits = new Desk({ estimate: 40, budget });
    fits.ofRun = [{ taskId: 't-c0', toolCallId: 'c0', seconds: 10, hasEnded: true }];
    expect(await fits.question('c1')).toBeNull();

    const desk = new Desk({ estimate: 41, budget });
    desk.ofRun = fits.ofRun;
    expect(await desk.question('c1')).toBe(
      'A workflow may go beyond the budget of this run: 0.10 of 0.5 are spent, at 36 an hour. It will take about 41 s.',
    );
  });

  it('asks about every call when nothing has a price', async () => {
    const desk = new Desk({ estimate: 0, budget: { ...budget, pricePerHour: null } });

    expect(await desk.question('c1')).toContain('what its tasks cost is not known');
  });
});

describe('always', () => {
  it('asks, whatever the call costs', async () => {
    expect(await new Desk({ estimate: 1, approval: 'always' }).question('c1')).toBe(
      'A workflow wants to run on the pool. It will take about 1 s.',
    );
  });

  it('says what the call costs when workers have a price', async () => {
    const price = { perHour: 36, currency: 'EUR' };
    expect(await new Desk({ estimate: 20, approval: 'always', price }).question('c1')).toBe(
      'A workflow wants to run on the pool. It will take about 20 s and cost about €0.20.',
    );
  });
});

class Desk {
  ofRun: CallCost[] = [];
  readonly submitted = new Set<string>();
  readonly #budget: WorkflowBudget;

  constructor({
    estimate,
    approval = 'over_budget',
    budget = { kind: 'time', maxSeconds: 100 },
    price = null,
  }: {
    estimate: number | null;
    price?: WorkerPrice | null;
    approval?: ApprovalPolicy['approval'];
    budget?: ApprovalPolicy['budget'];
  }) {
    this.#budget = new WorkflowBudget({
      policy: { approval, budget },
      price,
      tasks: { hasSubmitted: async (_userId, key) => this.submitted.has(key) },
      savedWorkflows: {
        taskOf: async () => {
          throw new Error('None is saved.');
        },
      },
      costs: { estimateSeconds: async () => estimate, ofRun: async () => this.ofRun },
    });
  }

  async question(toolCallId: string, runId = 'r1'): Promise<string | null> {
    const order: WorkflowOrder = {
      userId: 'u1',
      threadId: 't1',
      runId,
      toolCallId,
      agent: 'lead_agent',
      idempotencyKey: `${runId}:${toolCallId}`,
      workflow: {},
      params: {},
      paramsToSubmit: async () => ({}),
      name: null,
    };
    return this.#budget.question(order);
  }
}
