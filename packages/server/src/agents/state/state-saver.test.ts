import { emptyCheckpoint, MemorySaver } from '@langchain/langgraph-checkpoint';
import { expect, it, vi } from 'vitest';
import { StateSaver } from './state-saver.ts';

const config = { configurable: { thread_id: 'one', checkpoint_ns: '' } };

async function savedState() {
  const saved = new MemorySaver();
  await saved.put(config, emptyCheckpoint(), { source: 'input', step: -1, parents: {} });
  return { saver: new StateSaver(saved), loads: vi.spyOn(saved, 'getTuple') };
}

it('the graph gets what was read ahead, once', async () => {
  const { saver, loads } = await savedState();
  const ahead = await saver.readAhead(config);
  expect(await saver.getTuple(config)).toBe(ahead);
  expect(loads).toHaveBeenCalledTimes(1);
  expect(await saver.getTuple(config)).toEqual(ahead);
  expect(loads).toHaveBeenCalledTimes(2);
});

it('distinguishes errors of storage from all others', async () => {
  const { saver, loads } = await savedState();
  const gone = new Error('the disk is gone');
  loads.mockRejectedValueOnce(gone);
  await expect(saver.getTuple(config)).rejects.toBe(gone);
  expect(saver.failedWith(gone)).toBe(true);
  expect(saver.failedWith(new Error('the disk is gone'))).toBe(false);
});
