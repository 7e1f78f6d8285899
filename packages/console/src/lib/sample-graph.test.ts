import { expect, it } from 'vitest';
import { sampleGraph, samplePictures, sampleTasks } from './sample-graph.ts';

const graphs = Array.from({ length: sampleTasks }, (_, task) => sampleGraph(task));

it('names in every link a node of the same graph', () => {
  for (const graph of graphs) {
    const links = Object.values(graph).flatMap(({ inputs }) => Object.values(inputs).filter(Array.isArray));
    expect(links.length).toBeGreaterThan(0);
    for (const [id] of links) expect(Object.keys(graph)).toContain(id);
  }
});

it('draws each sample in one task, so that all tasks together make eight pictures', () => {
  const drawn = graphs.flatMap((graph) => Object.entries(graph).filter(([id]) => id.startsWith('sample-')));
  expect(drawn).toHaveLength(samplePictures);
  const grounds = graphs.flatMap((graph) => [graph['ground-1'], graph['ground-2']]);
  expect(new Set(grounds.map((ground) => ground?.inputs.color)).size).toBe(samplePictures);
});
