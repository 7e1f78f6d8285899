import { StateGraph } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { threadState } from './thread-state.ts';

const cat = { base64: 'Y2F0', mime_type: 'image/png' };
const dog = { base64: 'ZG9n', mime_type: 'image/png' };
const file = { filename: 'a.txt', size: 1, path: '/mnt/user-data/uploads/a.txt', extension: '.txt' };

type Values = Record<string, unknown>;

/** Returns what a thread holds after these updates, one after another. */
async function after(...updates: Values[]): Promise<Values> {
  const nodes = updates.map((update, index) => [`n${index}`, async () => update] as const);
  const graph = new StateGraph(threadState).addSequence(Object.fromEntries(nodes) as never);
  return graph
    .addEdge('__start__', 'n0' as never)
    .compile()
    .invoke({});
}

describe('the channels of a thread', () => {
  it('merge the pictures that were viewed, and an empty record removes them all', async () => {
    const both = { viewed_images: { cat, dog } };
    expect(await after({ viewed_images: { cat } }, { viewed_images: { dog } })).toMatchObject(both);
    expect(await after(both, { viewed_images: {} })).toMatchObject({ viewed_images: {} });
    expect(await after(both, { viewed_images: {} }, { viewed_images: { cat } })).toHaveProperty(
      'viewed_images',
      { cat },
    );
  });

  it('keep artifacts in their order, each once', async () => {
    expect(await after({ artifacts: ['b', 'a'] }, { artifacts: ['a', 'c'] })).toMatchObject({
      artifacts: ['b', 'a', 'c'],
    });
  });

  it('hold the last list of uploaded files', async () => {
    expect(await after({ uploaded_files: [file, file] }, { uploaded_files: [file] })).toMatchObject({
      uploaded_files: [file],
    });
    expect(await after({ uploaded_files: [file] }, { uploaded_files: null })).toMatchObject({
      uploaded_files: null,
    });
  });
});
