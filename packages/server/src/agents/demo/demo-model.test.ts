import { AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DemoModel } from './demo-model.ts';

const listInstances = tool(async () => '', {
  name: 'list_instances',
  description: 'x',
  schema: z.object({}),
});

describe('the demo model', () => {
  it('streams its reply word by word', async () => {
    const words: string[] = [];
    for await (const chunk of await demo().stream('hello')) words.push(chunk.text);

    expect(words.length).toBeGreaterThan(10);
    expect(words.slice(0, 4)).toEqual(['Hello! ', 'I ', 'am ', 'the ']);
  });

  it('labels each reply as simulated, and counts its tokens', async () => {
    const reply = await demo().invoke('hello');

    expect(reply.response_metadata).toEqual({
      model_name: 'switchyard-demo',
      model_provider: 'switchyard',
      finish_reason: 'stop',
      simulated: true,
    });
    expect(reply.usage_metadata).toMatchObject({
      input_tokens: 2,
      output_tokens: Math.ceil(reply.text.length / 4),
      total_tokens: 2 + Math.ceil(reply.text.length / 4),
    });
  });

  it('gives the same reply streamed and in one piece', async () => {
    let streamed: AIMessageChunk | undefined;
    for await (const chunk of await demo().bindTools([listInstances]).stream('list instances')) {
      streamed = streamed?.concat(chunk) ?? chunk;
    }
    const whole = await demo().bindTools([listInstances]).invoke('list instances');

    expect(streamed?.text).toBe(whole.text);
    expect(streamed?.usage_metadata).toEqual(whole.usage_metadata);
    expect(streamed?.response_metadata).toEqual(whole.response_metadata);
    expect(streamed?.tool_calls).toEqual(whole.tool_calls);
  });

  it('calls the tools that it was given', async () => {
    const reply = await demo().bindTools([listInstances]).invoke('list instances');

    expect(reply.tool_calls).toMatchObject([{ name: 'list_instances', args: {}, type: 'tool_call' }]);
    expect(reply.response_metadata.finish_reason).toBe('tool_calls');
  });

  it('gives a call the same id when the turn is repeated, and another id later in the conversation', async () => {
    const model = demo().bindTools([listInstances]);
    const ask = new HumanMessage('list instances');
    const ids = await Promise.all(
      [[ask], [ask], [ask, new AIMessageChunk('done'), ask]].map(async (messages) => {
        const { tool_calls: calls } = await model.invoke(messages);
        return calls?.[0]?.id;
      }),
    );

    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('stops in the middle when it is aborted', async () => {
    const abort = new AbortController();
    const words: string[] = [];
    const reading = async () => {
      for await (const chunk of await new DemoModel({ paceMs: 1 }).stream('hello', {
        signal: abort.signal,
      })) {
        words.push(chunk.text);
        if (words.length === 2) abort.abort();
      }
    };

    await expect(reading()).rejects.toThrow();
    expect(words).toHaveLength(2);
  });
});

function demo(): DemoModel {
  return new DemoModel({ paceMs: 0 });
}
