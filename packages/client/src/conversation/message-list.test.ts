import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { describe, expect, it } from 'vitest';
import { MessageList, messageText } from './message-list.ts';
import type { RunFrame } from './run-frame.ts';

const place = { id: '1', namespace: [] };
const piece = (message: Partial<StreamedMessage>, namespace: string[] = []): RunFrame => ({
  event: 'messages',
  id: '1',
  namespace,
  data: [{ type: 'ai', content: '', ...message }, {}],
});

function listOf(...frames: RunFrame[]): StreamedMessage[] {
  const list = new MessageList();
  for (const frame of frames) list.apply(frame);
  return list.all;
}

describe('the messages of a stream', () => {
  it('are joined from their pieces by their ids', () => {
    const messages = listOf(
      piece({ id: 'a', content: 'Hel' }),
      piece({ id: 'b', content: 'other' }),
      piece({ id: 'a', content: 'lo' }),
    );
    expect(messages.map(({ id, content }) => [id, content])).toEqual([
      ['a', 'Hello'],
      ['b', 'other'],
    ]);
  });

  it('are joined even when they consist of blocks', () => {
    const block = (text: string, index = 0) => ({ type: 'text', text, index });
    const [message] = listOf(
      piece({ id: 'a', content: [block('Hel')] }),
      piece({ id: 'a', content: [block('lo')] }),
      piece({ id: 'a', content: [block('!', 1)] }),
    );
    expect(message?.content).toEqual([block('Hello'), block('!', 1)]);
    expect(message && messageText(message)).toBe('Hello!');
  });

  it('have each tool call once', () => {
    const call = { id: 'c1', name: 'search', args: {} };
    const [message] = listOf(
      piece({ id: 'a', tool_calls: [call] }),
      piece({ id: 'a', tool_calls: [] }),
      piece({ id: 'a', tool_calls: [call, { id: 'c2', name: 'open', args: {} }] }),
    );
    expect(message?.tool_calls?.map(({ id }) => id)).toEqual(['c1', 'c2']);
  });

  it('are those of the state once it is shown, without duplicates', () => {
    const whole = { type: 'ai', id: 'a', content: 'Hello, world' };
    const messages = listOf(
      piece({ id: 'half', content: 'was cut off' }),
      piece({ id: 'a', content: 'Hello' }),
      { ...place, event: 'values', data: { messages: [{ type: 'human', id: 'h', content: 'hi' }, whole] } },
      { ...place, event: 'values', data: { title: 'no messages in it' } },
    );
    expect(messages.map(({ id }) => id)).toEqual(['h', 'a']);
    expect(messages[1]).toEqual(whole);
  });

  it('are replaced when the stream mode sends them whole each time', () => {
    const partial = (content: string): RunFrame => ({
      ...place,
      event: 'messages/partial',
      data: [{ type: 'ai', id: 'a', content }],
    });
    expect(listOf(partial('Hel'), partial('Hello')).map(({ content }) => content)).toEqual(['Hello']);
  });

  it('have a text whatever their content is', () => {
    const contents: unknown[] = [
      'a',
      ['b', { type: 'text', text: 'c' }, { type: 'image' }, null],
      null,
      { d: 1 },
    ];
    expect(contents.map((content) => messageText({ content } as StreamedMessage))).toEqual([
      'a',
      'bc',
      '',
      '',
    ]);
  });

  it('of subgraphs are left out', () => {
    expect(listOf(piece({ id: 'a', content: 'inner' }, ['agent:1']))).toEqual([]);
  });
});
