import type { BaseMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { expect, it } from 'vitest';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { AppError } from '../../lib/app-error.ts';
import type { AnsweringModels } from '../models/answering-model.ts';
import { runHandleKey } from '../run-contract/run-handle.ts';
import { threadState } from '../state/thread-state.ts';
import type { Workspace } from '../tools/workspace.ts';
import { viewedImages } from './viewed-images.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n picture', 'latin1');
const path = '/mnt/user-data/uploads/cat.png';
const models = {
  configOf: () => ({ supports_vision: true }),
  fallbacksOf: () => [],
} as unknown as AnsweringModels;

/** Returns what the model is sent in each of its calls, when its first answer asks to look at the picture. */
async function callsOf(read: Workspace['read']): Promise<BaseMessage[][]> {
  const calls: BaseMessage[][] = [];
  const model = new ScriptedModel('m', (messages) => {
    calls.push(messages);
    if (calls.length > 1) return { text: 'Seen.' };
    return { calls: [{ id: 'call_1', name: 'view_image', args: { image_path: path } }] };
  });
  const workspace = { read } as unknown as Workspace;
  const agent = createAgent({
    model,
    tools: [],
    stateSchema: threadState,
    middleware: [viewedImages(models, { workspace, mounts: [] })],
    checkpointer: new MemorySaver(),
  });
  const handle = { runId: 'r1', threadId: 't1', userId: 'u1', beforeActing: async () => {} };
  const config = { configurable: { thread_id: 't1', [runHandleKey]: handle } };
  await agent.invoke({ messages: [{ role: 'user', content: 'Look' }] } as never, config);
  return calls;
}

it('a picture is read again for the call that shows it', async () => {
  const [, second] = await callsOf(async () => ({ bytes: png, sizeBytes: png.length }));
  expect(second?.at(-1)?.content).toEqual([
    { type: 'text', text: `The picture ${path}:` },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
  ]);
});

it('the model is told when a picture was removed meanwhile, and the run continues', async () => {
  let reads = 0;
  const [, second] = await callsOf(async () => {
    reads += 1;
    if (reads > 1) throw new AppError('artifact_not_found');
    return { bytes: png, sizeBytes: png.length };
  });
  expect(second?.at(-1)?.text).toBe(`There is no file ${path}. See what is there with ls or glob.`);
});
