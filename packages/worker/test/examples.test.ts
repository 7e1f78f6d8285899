import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TestGraph } from '../src/conformance/graphs.ts';
import type { Listener } from '../src/conformance/listener.ts';
import { onePixelPng } from '../src/conformance/png.ts';
import { testWorker } from './support/test-worker.ts';

const folder = fileURLToPath(new URL('../../../examples/workflows/', import.meta.url));
const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));

/** The number of files that each workflow leaves. */
const files: Record<string, number> = {
  'batch-invert.json': 8,
  'composite.json': 1,
  'contact-sheet.json': 1,
  'film.json': 1,
  'resize.json': 1,
};

describe('example workflows', () => {
  it('are all listed here', () => {
    expect(names.sort()).toEqual(Object.keys(files));
  });

  it.each(names)('%s runs, and every node has its own title', async (name) => {
    const { subject } = await testWorker();
    await subject.upload({}, { name: 'example.png', bytes: onePixelPng([200, 100, 50, 255]) });
    const graph = JSON.parse(await readFile(`${folder}${name}`, 'utf8')) as TestGraph;
    const ear = await subject.listen('watcher');
    const promptId = await subject.accept(graph, { client_id: 'watcher' });
    await ear.hearEnd(promptId);
    const { status, outputs } = await subject.finished(promptId);
    expect(status.status_str).toBe('success');
    const saved = Object.values<{ images?: unknown[] }>(outputs).flatMap(({ images = [] }) => images);
    expect(saved).toHaveLength(files[name] ?? 0);
    if (name === 'batch-invert.json') expectToBeWorthWatching(ear, promptId);
    const titles = Object.values(graph).map(({ _meta }) => (_meta as { title: string }).title);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

function expectToBeWorthWatching(ear: Listener, promptId: string): void {
  expect(ear.framesOf(promptId).filter(({ type }) => type === 'progress').length).toBeGreaterThan(30);
  expect(ear.binaries.length).toBeGreaterThan(3);
}
