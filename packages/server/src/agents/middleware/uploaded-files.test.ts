import { MemorySaver } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { expect, it } from 'vitest';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { runHandleKey } from '../run-contract/run-handle.ts';
import { threadState } from '../state/thread-state.ts';
import { FileTrees } from '../tools/files/file-trees.ts';
import { readFileTool } from '../tools/files/read-file.ts';
import type { Workspace, WorkspaceEntry } from '../tools/workspace.ts';
import { uploadedFiles } from './uploaded-files.ts';

const file = (name: string, modifiedMs = 0): WorkspaceEntry => ({
  name,
  kind: 'file',
  sizeBytes: 3,
  modifiedMs,
});

/** Returns what the model is told beside the messages, and the state afterwards. */
async function turn(
  list: () => Promise<WorkspaceEntry[]>,
  { hasTools = true, message = {} as object } = {},
): Promise<{ told: string; uploaded_files?: { filename: string }[] | null; warnings: number }> {
  let told = '';
  let warnings = 0;
  const model = new ScriptedModel('m', (messages) => {
    told = messages
      .filter(({ type }) => type === 'system')
      .map(({ text }) => text)
      .join('\n');
    return { text: 'Seen.' };
  });
  const workspace = { list } as unknown as Workspace;
  const agent = createAgent({
    model,
    tools: hasTools ? [readFileTool(new FileTrees({ workspace, mounts: [] }))] : [],
    stateSchema: threadState,
    middleware: [uploadedFiles(workspace, { warn: () => (warnings += 1) })],
    checkpointer: new MemorySaver(),
  });
  const handle = { runId: 'r1', threadId: 't1', userId: 'u1', beforeActing: async () => {} };
  const config = { configurable: { thread_id: 't1', [runHandleKey]: handle } };
  const { uploaded_files } = await agent.invoke(
    { messages: [{ role: 'user', content: 'Look', ...message }] } as never,
    config,
  );
  return { told, uploaded_files: uploaded_files as never, warnings };
}

it('the model is told the names of the newest hundred uploads and the number of the others', async () => {
  const many = Array.from({ length: 130 }, (_, index) => file(`f${index}.txt`, index));
  const { told, uploaded_files } = await turn(async () => [...many, { ...file('folder'), kind: 'folder' }]);
  expect(told).toContain('f129.txt');
  expect(told).toContain('f30.txt');
  expect(told).not.toMatch(/f29\.txt|folder \(/);
  expect(told).toContain('And 30 older ones');
  expect(uploaded_files).toHaveLength(100);
  expect(uploaded_files?.[0]?.filename).toBe('f129.txt');
});

it('uploads that cannot be listed do not stop the run', async () => {
  const { told, warnings } = await turn(() => Promise.reject(new Error('EIO')));
  expect([told, warnings]).toEqual(['', 1]);
});

it('an agent without tools for files is not told about uploads', async () => {
  expect((await turn(async () => [file('a.txt')], { hasTools: false })).told).toBe('');
});

it.each([['x'], [{ files: 'x' }], [{ files: [1, null, { filename: 5 }] }]])(
  'files that a client names as %j are ignored',
  async (kwargs) => {
    const { told } = await turn(async () => [file('a.txt')], { message: { additional_kwargs: kwargs } });
    expect(told).toContain('Files that were there before:\n- /mnt/user-data/uploads/a.txt (3 bytes)');
    expect(told).not.toContain('came with');
  },
);
