import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFixture, openJournalFixture } from '../../../testing/journal-fixture.ts';
import type { NewRunEvent } from '../../agents/run-record.ts';
import { RecordedRunStore } from './recorded-run-store.ts';
import { ThreadMessages } from './thread-messages.ts';

const alice = { user: 'alice' };

function human(text: string): NewRunEvent {
  return { event_type: 'human_message', category: 'message', content: { type: 'human', content: text } };
}

function ai(text: string, caller = 'lead_agent'): NewRunEvent {
  const content = { type: 'ai', content: text, additional_kwargs: { kept: true } };
  return { event_type: 'ai_message', category: 'message', content, metadata: { caller } };
}

const textIn = ({ content }: { content: unknown }): string => (content as { content: string }).content;

describe('messages of a thread', () => {
  let fixture: JournalFixture;
  let messages: ThreadMessages;
  let feedback: Map<string, { feedback_id: string; rating: number; comment: string | null }>;

  beforeEach(async () => {
    fixture = await openJournalFixture();
    feedback = new Map();
    messages = new ThreadMessages({
      storage: fixture.storage,
      runs: new RecordedRunStore(fixture.database),
      feedbackOf: async () => feedback,
    });
  });
  afterEach(() => fixture.close());

  const turn = async (runId: string, text: string, run: object = {}): Promise<void> => {
    await fixture.insertRun(runId, run);
    await fixture.write(runId, [human(text), ai(`answer to ${text}`)]);
  };
  const shown = async (): Promise<string[]> => {
    const { data } = await messages.shown(alice, 't', { limit: 200 });
    return data.map(textIn);
  };

  it('carry feedback and the time a turn took at the last answer of a run, and nowhere else', async () => {
    await turn('r1', 'one');
    await fixture.write('r1', [ai('last')]);
    await turn('r2', 'two', { status: 'running', ended_at: null });
    feedback.set('r1', { feedback_id: 'f', rating: -1, comment: 'no' });
    const rows = await messages.ofThread(alice, 't', { limit: 50 });
    expect(rows.map((row) => [textIn(row), row.feedback])).toEqual([
      ['one', null],
      ['answer to one', null],
      ['last', { feedback_id: 'f', rating: -1, comment: 'no' }],
      ['two', null],
      ['answer to two', null],
    ]);
    expect(rows.map(({ content }) => (content as { additional_kwargs?: object }).additional_kwargs)).toEqual([
      undefined,
      { kept: true },
      { kept: true, turn_duration: 2.5 },
      undefined,
      { kept: true },
    ]);
  });

  it('carry nothing of the run where its last answer is on another page', async () => {
    await turn('r1', 'one');
    await fixture.write('r1', [ai('last')]);
    feedback.set('r1', { feedback_id: 'f', rating: 1, comment: null });
    const rows = await messages.ofThread(alice, 't', { limit: 50, beforeSeq: 3 });
    expect(rows.map((row) => row.feedback)).toEqual([null, null]);
  });

  it('of a run come in pages that say whether there is more in their direction', async () => {
    await fixture.write('r', ['1', '2', '3'].map(human));
    const run = { threadId: 't', runId: 'r' };
    const page = async (bounds: object): Promise<unknown[]> => {
      const { data, has_more } = await messages.ofRun(alice, run, { limit: 2, ...bounds });
      return [...data.map(textIn), has_more];
    };
    expect(await page({})).toEqual(['2', '3', true]);
    expect(await page({ afterSeq: 1 })).toEqual(['2', '3', false]);
    expect(await page({ afterSeq: 0 })).toEqual(['1', '2', true]);
    expect(await page({ beforeSeq: 3 })).toEqual(['1', '2', false]);
  });

  describe('as they are shown', () => {
    it('leave out what middleware says, and answers of sub-agents', async () => {
      await fixture.write('r', [
        human('question'),
        ai('title', 'middleware:title'),
        ai('thoughts', 'subagent:research'),
        {
          event_type: 'tool_result',
          category: 'message',
          content: { type: 'tool', content: 'result' },
          metadata: { caller: 'subagent:research' },
        },
        ai('answer'),
      ]);
      expect(await shown()).toEqual(['question', 'result', 'answer']);
    });

    it('leave out a run that a later one has answered anew, once that has succeeded', async () => {
      await turn('r1', 'one');
      await turn('r2', 'two');
      const again = { metadata: '{"regenerate_from_run_id":"r2"}' };
      await turn('r3', 'two again', { ...again, status: 'error' });
      expect(await shown()).toContain('answer to two');
      await turn('r4', 'two once more', again);
      expect(await shown()).toEqual([
        'one',
        'answer to one',
        'two again',
        'answer to two again',
        'two once more',
        'answer to two once more',
      ]);
    });

    it('leave out an edit that has failed, and show its source again', async () => {
      const edit = { metadata: '{"regenerate_from_run_id":"r1","replay_kind":"edit"}' };
      await turn('r1', 'one');
      await turn('r2', 'edited', { ...edit, status: 'error' });
      expect(await shown()).toEqual(['one', 'answer to one']);
      await turn('r3', 'edited well', { ...edit, status: 'success' });
      expect(await shown()).toEqual(['edited well', 'answer to edited well']);
    });

    it('fill each page, however many rows are left out, without a gap or a double', async () => {
      await turn('r0', 'first');
      await fixture.write(
        'noise',
        Array.from({ length: 450 }, (_, index) => ai(`noise ${index}`, 'middleware:x')),
      );
      for (let number = 1; number <= 4; number += 1) await turn(`r${number}`, `${number}`);
      const pages: string[][] = [];
      let beforeSeq: number | undefined;
      do {
        const page = await messages.shown(alice, 't', { limit: 4, beforeSeq });
        pages.unshift(page.data.map(textIn));
        expect(page.has_more).toBe(page.next_before_seq !== null);
        beforeSeq = page.next_before_seq ?? undefined;
      } while (beforeSeq !== undefined);
      expect(pages).toEqual([
        ['first', 'answer to first'],
        ['1', 'answer to 1', '2', 'answer to 2'],
        ['3', 'answer to 3', '4', 'answer to 4'],
      ]);
    });

    it('are the owner’s alone', async () => {
      await turn('r1', 'one');
      await fixture.write('r2', [human('of bob')], { userId: 'bob' });
      expect(await shown()).toEqual(['one', 'answer to one']);
    });
  });
});
