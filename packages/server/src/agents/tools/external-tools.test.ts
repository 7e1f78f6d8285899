import { createAgent } from 'langchain';
import { expect, it } from 'vitest';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { externalTools } from './external-tools.ts';
import { toolErrors } from './tool-errors.ts';

it('tells a model which argument of another server’s tool is invalid, and does not call the server', async () => {
  const called: unknown[] = [];
  const tools = externalTools([
    {
      name: 'box_paint',
      server: 'box',
      description: 'Paints.',
      inputSchema: { type: 'object', properties: { width: { type: 'integer' } }, required: ['width'] },
      call: async (input) => `painted ${called.push(input)}`,
    },
  ]);
  const model = new ScriptedModel('m', (messages) =>
    messages.some(({ type }) => type === 'tool')
      ? { text: 'Well.' }
      : { calls: [{ name: 'box_paint', args: { width: 'wide' }, id: 'c1' }] },
  );
  const agent = createAgent({ model, tools, middleware: [toolErrors({ warn: () => undefined })] });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] });

  const answer = messages.find(({ type }) => type === 'tool');
  expect(answer).toMatchObject({ status: 'error', tool_call_id: 'c1' });
  expect(answer?.text).toContain('invalid_arguments');
  expect(answer?.text).toMatch(/width.*"integer"/);
  expect(answer?.text).not.toMatch(/file:|node_modules|\.ts:|\n {4}at /);
  expect(called).toEqual([]);
});
