import { describe, expect, it } from 'vitest';
import { additionsOf } from './message-blocks.ts';
import { MessageEvents } from './message-events.ts';
import { addedIn, formOf } from './repeated-pieces.ts';

type Fields = Record<string, unknown>;

const metadata = { langgraph_checkpoint_ns: 'model:1', langgraph_node: 'model' };
const messageOf = (fields: Fields) => ({ type: 'ai', content: '', id: 'a', tool_call_chunks: [], ...fields });
const frameOf = (fields: Fields) => JSON.stringify([messageOf(fields), metadata]);
const formIn = (fields: Fields) => formOf(frameOf(fields), additionsOf(messageOf(fields)));

const texts = [
  ...['Hello', ' "quoted" \\ ', 'two\nlines', '', 'content', 'ai', 'a', '","id":"b', '\\', '"', '{"a":[1]}'],
  ...['Grüße', '\ud83d', '\ude00', '😀', '\u2028', 'x'.repeat(10_000)],
];

/** A field that differs in each piece makes every piece one that is read as a whole. */
function eventsOf(pieces: readonly Fields[], { areDifferent = false } = {}) {
  const messages = new MessageEvents();
  const made = pieces.flatMap((fields, index) =>
    messages.add(frameOf({ ...fields, ...(areDifferent && { index }) })),
  );
  return [...made, ...messages.endRun(null)];
}

function expectTheSame(pieces: readonly Fields[]): void {
  expect(eventsOf(pieces)).toEqual(eventsOf(pieces, { areDifferent: true }));
}

describe('a piece of a message that only adds text', () => {
  it.each<[string, (text: string) => Fields]>([
    ['text', (content: string) => ({ content })],
    ['text in a block', (text: string) => ({ content: [{ type: 'text', text, index: 0 }] })],
    ['reasoning', (text: string) => ({ additional_kwargs: { reasoning_content: text } })],
  ])('becomes the same events as one that is read as a whole: %s', (_name, fields) => {
    expectTheSame(texts.map(fields));
    expectTheSame(texts.toReversed().map(fields));
  });

  it('becomes the same events between pieces that add something else', () => {
    expectTheSame([
      { content: 'one' },
      { content: ' two' },
      { tool_call_chunks: [{ index: 0, id: 'c', name: 'look', args: '{}' }] },
      { content: ' three' },
      { additional_kwargs: { reasoning_content: 'Hm' } },
      { additional_kwargs: { reasoning_content: '.' } },
      { content: ' four' },
      { content: ' five', additional_kwargs: { reasoning_content: 'Oh' } },
      { content: ' six', additional_kwargs: { reasoning_content: 'Ah' } },
      { content: ' seven' },
    ]);
  });

  it('becomes the same events when messages take turns', () => {
    const turns = ['one', 'two', 'three', 'four'].flatMap((content) => [
      { id: 'a', content },
      { id: 'b', content },
    ]);
    expectTheSame(turns);
  });

  it('adds its usage and says why the message ended', () => {
    const usage_metadata = { input_tokens: 1, output_tokens: 2 };
    const pieces = [
      { content: 'one', usage_metadata },
      { content: ' two', usage_metadata },
      { content: ' three', response_metadata: { model: 'm' } },
      { content: ' four', response_metadata: { model: 'm' } },
      { content: ' five', response_metadata: { model: 'm', finish_reason: 'stop' } },
      { content: ' six', response_metadata: { model: 'm' } },
    ];
    expectTheSame(pieces);
    expect(JSON.parse(eventsOf(pieces).at(-1)?.data ?? '')).toMatchObject({
      usage: { input_tokens: 2, output_tokens: 4 },
      reason: 'stop',
    });
  });

  it('is recognized without reading it', () => {
    const form = formIn({ content: 'one' });
    expect(form && addedIn(frameOf({ content: 'a "second"' }), form)).toBe('"a \\"second\\""');
  });

  it('is read as a whole when it differs in anything else', () => {
    const form = formIn({ content: 'one' });
    const others: Fields[] = [
      { content: 'two', id: 'b' },
      { content: ['two'] },
      { content: 'two', name: 'n' },
      { content: { type: 'text' } },
    ];
    for (const fields of others) expect(form && addedIn(frameOf(fields), form)).toBeUndefined();
    const further = frameOf({ content: 'two' }).replace('"two"', '"two","name":"n"');
    expect(form && addedIn(further, form)).toBeUndefined();
  });

  it('is no form for others when its text stands in it a second time', () => {
    expect(formIn({ content: 'ai' })).toBeNull();
    expect(formIn({ content: 'content' })).toBeNull();
  });
});
