import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFixture, openJournalFixture } from '../../../testing/journal-fixture.ts';
import type { NewRunEvent } from '../../agents/run-contract/run-record.ts';

const input = { messages: [{ role: 'user', content: 'hello', id: 'h' }] };

function response(caller: string, usage: object | null, model = 'm1'): NewRunEvent {
  const metadata = { caller, usage, model_name: model };
  return { event_type: 'llm_response', category: 'trace', content: '', metadata };
}

describe('the recorder of a run', () => {
  let fixture: JournalFixture;
  beforeEach(async () => {
    fixture = await openJournalFixture();
  });
  afterEach(() => fixture.close());

  const events = (): Promise<RunEvent[]> =>
    fixture.journal.events({ user: 'alice' }, { threadId: 't', limit: 1_000 });
  const parts = async (): Promise<unknown[][]> =>
    (await events()).map(({ event_type, category, content, metadata }) => [
      event_type,
      category,
      content,
      metadata,
    ]);

  describe('begins a run', () => {
    it('with the message of the user, then with its start', async () => {
      const run = await fixture.journal.recorderFor({
        threadId: 't',
        runId: 'r',
        userId: 'alice',
        attempt: 1,
        followUpTo: 'earlier',
      });
      run.recordStart(input);
      await run.flush();
      expect(await parts()).toEqual([
        [
          'human_message',
          'message',
          {
            type: 'human',
            content: 'hello',
            id: 'h',
            name: null,
            additional_kwargs: {},
            response_metadata: {},
          },
          { follow_up_to_run_id: 'earlier', content_is_dict: true },
        ],
        ['run_start', 'lifecycle', '', { input_preview: JSON.stringify(input) }],
      ]);
    });

    it('with a preview of the input that is no longer than 500 characters', async () => {
      const run = await fixture.recorder('r');
      run.recordStart({ topic: 'x'.repeat(1_000) });
      await run.flush();
      const [[, , , metadata]] = (await parts()) as [[string, string, string, { input_preview: string }]];
      expect(metadata.input_preview).toHaveLength(500);
    });

    it('again without repeating the message of the user', async () => {
      const first = await fixture.recorder('r');
      first.recordStart(input);
      await first.flush();
      const second = await fixture.recorder('r', { attempt: 2 });
      second.recordStart(input);
      await second.flush();
      expect(
        (await parts()).map(([type, , , metadata]) => [type, (metadata as { attempt?: number }).attempt]),
      ).toEqual([
        ['human_message', undefined],
        ['run_start', undefined],
        ['run_start', 2],
      ]);
      expect(second.totals()).toMatchObject({ message_count: 1, first_human_message: 'hello' });
    });

    it('again with the message, when nothing was stored the first time', async () => {
      const second = await fixture.recorder('r', { attempt: 2 });
      second.recordStart(input);
      await second.flush();
      expect((await parts()).map(([type]) => type)).toEqual(['human_message', 'run_start']);
    });
  });

  it.each([
    ['success', null, ['run_end', 'lifecycle', '', { status: 'success' }]],
    ['interrupted', null, ['run_end', 'lifecycle', '', { status: 'interrupted' }]],
    [
      'error',
      { name: 'TypeError', message: 'no' },
      ['run_error', 'lifecycle', 'no', { error_type: 'TypeError', status: 'error' }],
    ],
    ['timeout', null, ['run_error', 'lifecycle', '', { error_type: 'timeout', status: 'timeout' }]],
  ] as const)('ends a run with %s', async (status, error, expected) => {
    const run = await fixture.recorder('r');
    run.recordEnd({ status, error });
    await run.flush();
    expect(await parts()).toEqual([expected]);
  });

  it('records nothing and counts nothing after the end', async () => {
    const run = await fixture.recorder('r');
    run.recordEnd({ status: 'interrupted' });
    run.record({ event_type: 'ai_message', category: 'message', content: { content: 'late' } });
    await run.flush();
    expect((await parts()).map(([type]) => type)).toEqual(['run_end']);
    expect(run.totals().message_count).toBe(0);
  });

  describe('counts', () => {
    it('tokens by caller and by model, once for each call', async () => {
      const run = await fixture.recorder('r');
      run.record(response('lead_agent', { input_tokens: 1, output_tokens: 2, total_tokens: 3 }));
      run.record(response('subagent:x', { input_tokens: 10, output_tokens: 20 }, 'm2'));
      run.record(
        response('middleware:title', { input_tokens: 100, output_tokens: 0, total_tokens: 100 }, 'm2'),
      );
      run.record(response('unknown', { input_tokens: 1, output_tokens: 1, total_tokens: 5 }));
      run.record(response('lead_agent', { input_tokens: 0, output_tokens: 0, total_tokens: 0 }));
      run.record(response('lead_agent', null));
      const totals = run.totals();
      expect(totals).toMatchObject({
        llm_call_count: 4,
        // Neither a sub-agent nor a call that reports nothing says how full the lead agent's window is.
        context_tokens: 3,
        total_input_tokens: 112,
        total_output_tokens: 23,
        total_tokens: 138,
        lead_agent_tokens: 3,
        subagent_tokens: 30,
        middleware_tokens: 100,
        unknown_tokens: 5,
        model_name: 'm1',
      });
      expect(JSON.parse(totals.token_usage_by_model)).toEqual({
        m1: { tokens: 8, input_tokens: 2, output_tokens: 3, calls: 2 },
        m2: { tokens: 130, input_tokens: 110, output_tokens: 20, calls: 2 },
      });
    });

    it('input that the provider took from its cache, by model', async () => {
      const run = await fixture.recorder('r');
      const cached = (cache_read: number) => ({ input_token_details: { cache_read } });
      run.record(response('lead_agent', { input_tokens: 10, output_tokens: 1, ...cached(7) }));
      run.record(response('lead_agent', { input_tokens: 20, output_tokens: 1, ...cached(5) }));
      run.record(response('lead_agent', { input_tokens: 5, output_tokens: 1 }));
      expect(JSON.parse(run.totals().token_usage_by_model)).toEqual({
        m1: { tokens: 38, input_tokens: 35, output_tokens: 3, cache_read_tokens: 12, calls: 3 },
      });
    });

    it('messages, and keeps the first of the user and the last of the agent, cut to 2,000 characters', async () => {
      const run = await fixture.recorder('r');
      const message = (event_type: string, content: unknown): NewRunEvent => ({
        event_type,
        category: 'message',
        content: { content },
      });
      run.record(message('human_message', [{ type: 'text', text: 'look' }, { type: 'image_url' }]));
      run.record(message('ai_message', 'x'.repeat(3_000)));
      run.record(message('ai_tool_call', 'I call a tool'));
      run.record(message('tool_result', 'found'));
      run.record(message('ai_message', [{ type: 'image_url' }]));
      expect(run.totals()).toMatchObject({
        message_count: 5,
        first_human_message: 'look',
        last_ai_message: 'x'.repeat(2_000),
      });
    });

    it('messages but no tokens when counting tokens is switched off', async () => {
      await fixture.close();
      fixture = await openJournalFixture({ trackTokens: false });
      const run = await fixture.recorder('r');
      run.recordStart(input);
      run.record(response('lead_agent', { input_tokens: 1, output_tokens: 2, total_tokens: 3 }));
      expect(run.totals()).toMatchObject({
        total_tokens: 0,
        llm_call_count: 0,
        lead_agent_tokens: 0,
        token_usage_by_model: '{}',
        message_count: 1,
        model_name: 'm1',
      });
    });
  });

  it('throws when more events wait than it may hold', async () => {
    const run = await fixture.recorder('r');
    await fixture.close();
    const event: NewRunEvent = { event_type: 'x', category: 'trace', content: '' };
    for (let number = 0; number < 10_000; number += 1) run.record(event);
    expect(() => run.record(event)).toThrow('The journal of run r is full');
    fixture = await openJournalFixture();
  });
});
