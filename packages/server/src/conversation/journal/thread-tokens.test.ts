import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFixture, openJournalFixture } from '../../../testing/journal-fixture.ts';
import { RecordedRunStore } from './recorded-run-store.ts';
import { ThreadTokens } from './thread-tokens.ts';

const alice = { user: 'alice' };
const oneModel = (model: string, tokens: number): string =>
  JSON.stringify({ [model]: { tokens, input_tokens: tokens - 1, output_tokens: 1, calls: 1 } });

describe('tokens of a thread', () => {
  let fixture: JournalFixture;
  let tokens: ThreadTokens;

  beforeEach(async () => {
    fixture = await openJournalFixture();
    tokens = new ThreadTokens({
      contextUsage: async () => null,
      runs: new RecordedRunStore(fixture.database),
      journal: fixture.journal,
    });
  });
  afterEach(() => fixture.close());

  const empty = {
    thread_id: 't',
    total_tokens: 0,
    total_input_tokens: 0,
    total_output_tokens: 0,
    total_runs: 0,
    by_model: {},
    by_caller: { lead_agent: 0, subagent: 0, middleware: 0, unknown: 0 },
    context_usage: null,
  };

  it('are zero when nothing has run', async () => {
    expect(await tokens.usage(alice, 't', { includeActive: true })).toEqual(empty);
  });

  it('include all runs of the owner, however they ended', async () => {
    await fixture.insertRun('r1', {
      total_tokens: 10,
      total_input_tokens: 9,
      total_output_tokens: 1,
      lead_agent_tokens: 6,
      middleware_tokens: 4,
      token_usage_by_model: oneModel('m1', 10),
    });
    await fixture.insertRun('r2', {
      status: 'interrupted',
      total_tokens: 5,
      total_input_tokens: 4,
      total_output_tokens: 1,
      subagent_tokens: 3,
      unknown_tokens: 2,
      token_usage_by_model: JSON.stringify({
        m1: { tokens: 3, input_tokens: 2, output_tokens: 1, calls: 1 },
        m2: { tokens: 2, input_tokens: 2, output_tokens: 0, calls: 1 },
      }),
    });
    await fixture.insertRun('r3', { user_id: 'bob', total_tokens: 100 });
    await fixture.insertRun('r4', { thread_id: 'other', total_tokens: 100 });
    expect(await tokens.usage(alice, 't', { includeActive: false })).toEqual({
      context_usage: null,
      thread_id: 't',
      total_tokens: 15,
      total_input_tokens: 13,
      total_output_tokens: 2,
      total_runs: 2,
      by_model: { m1: { tokens: 13, runs: 2 }, m2: { tokens: 2, runs: 1 } },
      by_caller: { lead_agent: 6, subagent: 3, middleware: 4, unknown: 2 },
    });
  });

  it('include runs that are under way when the caller asks for those', async () => {
    await fixture.insertRun('r1', { status: 'running', ended_at: null });
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
    await fixture.write('r1', [
      {
        event_type: 'llm_response',
        category: 'trace',
        content: '',
        metadata: { caller: 'lead_agent', model_name: 'm1', usage },
      },
    ]);
    expect(await tokens.usage(alice, 't', { includeActive: false })).toEqual(empty);
    expect(await tokens.usage(alice, 't', { includeActive: true })).toMatchObject({
      total_tokens: 7,
      total_runs: 1,
      by_model: { m1: { tokens: 7, runs: 1 } },
      by_caller: { lead_agent: 7 },
    });
  });
});
