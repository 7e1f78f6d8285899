import { tool } from '@langchain/core/tools';
import { createAgent } from 'langchain';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { AppError } from '../../lib/app-error.ts';
import { toolErrors } from './tool-errors.ts';

it.each([
  ['bad arguments by the field that is wrong', { count: 'many' }, ['invalid_arguments', 'count']],
  ['a refusal by its sentence', { count: 1 }, ['invalid_workflow', 'The graph has no output.']],
  ['a fault of our own by nothing that it says', { count: 2 }, ['internal_error', 'an error of its own']],
])('tells a model %s, and never where the code lies', async (_name, args, words) => {
  const failing = tool(
    async ({ count }) => {
      if (count === 1) throw new AppError('invalid_workflow', { message: 'The graph has no output.' });
      throw new Error(`broken in ${import.meta.url}`);
    },
    { name: 'fail', description: 'Fails.', schema: z.object({ count: z.number() }) },
  );
  const model = new ScriptedModel('m', (messages) =>
    messages.some(({ type }) => type === 'tool')
      ? { text: 'Well.' }
      : { calls: [{ name: 'fail', args, id: 'c1' }] },
  );
  const agent = createAgent({ model, tools: [failing], middleware: [toolErrors({ warn: () => undefined })] });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] });

  const answer = messages.find(({ type }) => type === 'tool');
  expect(answer).toMatchObject({ status: 'error', tool_call_id: 'c1' });
  for (const word of words) expect(answer?.text).toContain(word);
  expect(answer?.text).not.toMatch(/file:|node_modules|\.ts:|\n {4}at /);
  expect(messages.at(-1)?.text).toBe('Well.');
});
