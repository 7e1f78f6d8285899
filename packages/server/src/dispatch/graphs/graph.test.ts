import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import { type Graph, nodeClasses, nodeTitle, parseGraph, plannedNodes, reachableFrom } from './graph.ts';

const invert = {
  '1': { class_type: 'LoadImage', inputs: { image: 'a.png' }, _meta: { title: 'Source' } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'out' } },
  '4': { class_type: 'EmptyImage', inputs: { width: 8, height: 8 } },
};

function errorOf(workflow: unknown): AppError {
  try {
    parseGraph(workflow);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the workflow was accepted');
}

function messagesOf(workflow: unknown): string[] {
  return (errorOf(workflow).faults ?? []).map(({ message }) => message);
}

describe('parseGraph', () => {
  test('accepts a graph unchanged', () => {
    expect(parseGraph(invert)).toEqual(invert);
  });

  test('gives a node without inputs an empty set of inputs', () => {
    expect(parseGraph({ '1': { class_type: 'Seed' } })).toEqual({ '1': { class_type: 'Seed', inputs: {} } });
  });

  test("tells how to export when it gets the editor's format", () => {
    const error = errorOf({ nodes: [{ id: 1, type: 'LoadImage' }], links: [], version: 0.4 });
    expect(error.code).toBe('ui_format_workflow');
    expect(error.status).toBe(422);
    expect(error.message).toContain('Export (API)');
  });

  test('says to unwrap a whole request body for the worker', () => {
    expect(messagesOf({ prompt: invert, client_id: 'me' })[0]).toContain('without the "prompt" object');
  });

  test.each([
    [{}, 'The workflow has no nodes.'],
    [[], 'The workflow must be an object of nodes.'],
    ['text', 'The workflow must be an object of nodes.'],
    [{ '3': 7 }, 'Node 3 must be an object with class_type and inputs.'],
    [{ '3': { inputs: {} } }, 'Node 3 needs a class_type, the name of its node class.'],
    [{ '3': { class_type: 'X', inputs: [] } }, 'Node 3 (X): inputs must be an object.'],
  ])('refuses %j and says what is wrong', (workflow, message) => {
    expect(messagesOf(workflow)).toEqual([message]);
  });

  test('names the node and the input of a link that leads nowhere', () => {
    const workflow = { '5': { class_type: 'ImageInvert', inputs: { image: ['9', 0] } } };
    const error = errorOf(workflow);
    expect(error.status).toBe(422);
    expect(error.faults?.[0]).toMatchObject({
      path: ['workflow', '5', 'inputs', 'image'],
      message: 'Node 5 (ImageInvert), input "image" links to node 9, which is not in the workflow.',
    });
  });

  test('refuses links to negative or broken outputs', () => {
    const workflow = {
      '1': { class_type: 'A', inputs: { x: ['2', -1], y: ['2', 0.5] } },
      '2': { class_type: 'B', inputs: {} },
    };
    expect(messagesOf(workflow)).toHaveLength(2);
  });

  test('reports every fault, not only the first', () => {
    expect(messagesOf({ '1': 1, '2': { class_type: '' }, '3': { class_type: 'X', inputs: 3 } })).toHaveLength(
      3,
    );
  });

  test('stops collecting at fifty faults', () => {
    const workflow = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [String(index), null]));
    expect(messagesOf(workflow)).toHaveLength(50);
  });

  test('names the nodes of a cycle', () => {
    const workflow = {
      a: { class_type: 'A', inputs: { x: ['b', 0] } },
      b: { class_type: 'B', inputs: { x: ['c', 0] } },
      c: { class_type: 'C', inputs: { x: ['b', 0] } },
    };
    expect(messagesOf(workflow)[0]).toBe('Nodes b → c → b form a cycle.');
  });

  test('walks a chain of five thousand nodes without exhausting the stack', () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => index);
    const chain = Object.fromEntries(
      ids.map((id) => [String(id), { class_type: 'N', inputs: id > 0 ? { x: [String(id - 1), 0] } : {} }]),
    );
    expect(Object.keys(parseGraph(chain))).toHaveLength(5_000);
  });

  test('refuses too many nodes, too many inputs and too deep values', () => {
    const node = { class_type: 'N', inputs: {} };
    const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [String(index), node]));
    expect(messagesOf(many)[0]).toContain('at most 5000');
    const inputs = Object.fromEntries(Array.from({ length: 50_001 }, (_, index) => [`i${index}`, 1]));
    expect(messagesOf({ '1': { class_type: 'N', inputs } })[0]).toContain('more than 50000 inputs');
    let deep: unknown = 1;
    for (let level = 0; level < 40; level++) deep = [deep];
    expect(messagesOf({ '1': { class_type: 'N', inputs: { deep } } })[0]).toContain('nested deeper than 32');
  });

  test('keeps a node named __proto__ a node', () => {
    const workflow: unknown = JSON.parse('{"__proto__":{"class_type":"A","inputs":{}}}');
    const graph = parseGraph(workflow);
    expect(Object.keys(graph)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(graph)).toBe(Object.prototype);
  });

  test('never throws anything but an error of the catalogue, whatever it is given', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (workflow) => {
        try {
          parseGraph(workflow);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
    );
  });
});

test('the classes of a graph are each named once, in order', () => {
  expect(nodeClasses(parseGraph(invert))).toEqual(['EmptyImage', 'ImageInvert', 'LoadImage', 'SaveImage']);
});

test('a node is called by its title, or else its class, or else its id', () => {
  const graph = parseGraph(invert);
  expect([nodeTitle(graph, '1'), nodeTitle(graph, '2'), nodeTitle(graph, '77')]).toEqual([
    'Source',
    'ImageInvert',
    '77',
  ]);
});

test('counts only nodes that lead to an output, and every node while the outputs are not known', () => {
  const graph = parseGraph(invert);
  expect([...plannedNodes(graph, new Set(['SaveImage']))].sort()).toEqual(['1', '2', '3']);
  expect(plannedNodes(graph, null).size).toBe(4);
  expect(plannedNodes(graph, new Set(['PreviewImage'])).size).toBe(4);
});

test('the reachable nodes include the sources of each of them', () => {
  fc.assert(
    fc.property(arbitraryGraph(), fc.nat(), (graph, pick) => {
      const ids = Object.keys(graph);
      const reached = reachableFrom(graph, [ids[pick % ids.length] ?? '']);
      for (const id of reached) {
        for (const value of Object.values(graph[id]?.inputs ?? {})) {
          if (Array.isArray(value)) expect(reached.has(String(value[0]))).toBe(true);
        }
      }
    }),
  );
});

/** Links lead only to smaller ids, so there is no cycle. */
function arbitraryGraph(): fc.Arbitrary<Graph> {
  return fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 20 }).map((nodes) =>
    Object.fromEntries(
      nodes.map((sources, id) => [
        String(id),
        {
          class_type: 'N',
          inputs:
            id === 0 ? {} : Object.fromEntries(sources.map((from, at) => [`i${at}`, [String(from % id), 0]])),
        },
      ]),
    ),
  );
}
