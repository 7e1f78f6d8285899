import { textOf } from '@switchyard/contract/sentences/sentences';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import type { Graph } from './graph.ts';
import { applyParams, fileIdsIn } from './params.ts';

const graph: Graph = {
  '3': {
    class_type: 'KSampler',
    inputs: { seed: 1, steps: 20, model: ['4', 0] },
    _meta: { title: 'Sampler v1.5' },
  },
  '4': { class_type: 'Loader', inputs: { name: 'a.safetensors', fast: true } },
  '6': {
    class_type: 'Text',
    inputs: { text: 'a photo of {{subject}}, {{mood}}' },
    _meta: { title: 'Prompt' },
  },
  '7': { class_type: 'Text', inputs: { text: '{{negative}}' }, _meta: { title: 'Twin' } },
  '8': { class_type: 'Text', inputs: { text: 'x', size: '{{size}}' }, _meta: { title: 'Twin' } },
  '9': { class_type: 'LoadImage', inputs: { image: 'none.png' }, _meta: { title: 'Image' } },
};

function apply(params: Record<string, unknown>, strict = false) {
  return applyParams({ graph, params, strict, fileNames: new Map([['f1', 'gw/abc.png']]) });
}

function errorOf(params: Record<string, unknown>, strict = false): AppError {
  try {
    apply(params, strict);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the params were accepted');
}

describe('addresses', () => {
  test('sets an input by node id', () => {
    expect(apply({ '3.seed': 42 }).graph['3']?.inputs.seed).toBe(42);
  });

  test('sets an input by a unique title, even one with a dot in it', () => {
    expect(apply({ 'Prompt.text': 'a cat' }).graph['6']?.inputs.text).toBe('a cat');
    expect(apply({ 'Sampler v1.5.steps': 5 }).graph['3']?.inputs.steps).toBe(5);
  });

  test('does not change the graph that it was given', () => {
    const before = structuredClone(graph);
    apply({ '3.seed': 42, subject: 'a cat' });
    expect(graph).toEqual(before);
  });

  test('a title that two nodes share addresses neither, and the warning names their ids', () => {
    const { graph: result, warnings } = apply({ 'Twin.text': 'y' });
    expect(result['7']?.inputs.text).toBe('{{negative}}');
    expect(result['8']?.inputs.text).toBe('x');
    expect(textOf(warnings[0] ?? '')).toBe(
      '"Twin.text" fits nothing: 2 nodes have the title "Twin". Use the node\'s id: "7.text", "8.text".',
    );
  });

  test('an id wins over an equal title', () => {
    const twins: Graph = {
      a: { class_type: 'Text', inputs: { text: 'first' } },
      b: { class_type: 'Text', inputs: { text: 'second' }, _meta: { title: 'a' } },
    };
    const { graph: result } = applyParams({
      graph: twins,
      params: { 'a.text': 'new' },
      strict: false,
      fileNames: new Map(),
    });
    expect([result.a?.inputs.text, result.b?.inputs.text]).toEqual(['new', 'second']);
  });
});

describe('placeholders', () => {
  test('fills a name inside a longer text', () => {
    const { graph: result } = apply({ subject: 'a cat', mood: 7 });
    expect(result['6']?.inputs.text).toBe('a photo of a cat, 7');
  });

  test('a string that is only the placeholder takes the value with its JSON type', () => {
    expect(apply({ size: 512 }).graph['8']?.inputs.size).toBe(512);
    expect(apply({ size: { w: 1 } }).graph['8']?.inputs.size).toEqual({ w: 1 });
    expect(apply({ size: null }).graph['8']?.inputs.size).toBeNull();
  });

  test('does not fill placeholders inside a value', () => {
    const { graph: result } = apply({ subject: '{{mood}}', mood: 'calm' });
    expect(result['6']?.inputs.text).toBe('a photo of {{mood}}, calm');
  });

  test('warns about a placeholder that got no value', () => {
    expect(apply({ subject: 'a cat', negative: 'n', size: 1 }).warnings.map(textOf)).toEqual([
      'The placeholder {{mood}} got no value; the worker sees it as it stands.',
    ]);
  });

  test('refuses an object inside a longer text', () => {
    const error = errorOf({ mood: { a: 1 } });
    expect(error.code).toBe('invalid_param');
    expect(error.faults?.[0]).toMatchObject({ in: 'body', path: ['params', 'mood'] });
  });
});

describe('files', () => {
  test('a file becomes its name on the worker and is listed for pushing', () => {
    const result = apply({ 'Image.image': { $file: 'f1' } });
    expect(result.graph['9']?.inputs.image).toBe('gw/abc.png');
    expect(result.fileIds).toEqual(['f1']);
  });

  test('a file fills a placeholder too', () => {
    expect(apply({ negative: { $file: 'f1' } }).graph['7']?.inputs.text).toBe('gw/abc.png');
  });

  test('an unknown file is named', () => {
    const error = errorOf({ '9.image': { $file: 'gone' } });
    expect(error.status).toBe(422);
    expect(error.message).toBe('There is no file gone.');
  });

  test('a file is refused for an input that takes a number', () => {
    expect(errorOf({ '3.steps': { $file: 'f1' } }).message).toContain('takes a number, got "gw/abc.png".');
  });

  test('finds each file in the params once and takes nothing else for a file', () => {
    const params = {
      a: { $file: 'x' },
      b: { $file: 'x' },
      c: { $file: 'y', more: 1 },
      d: ['$file'],
      e: null,
    };
    expect(fileIdsIn(params)).toEqual(['x']);
  });
});

describe('names that match nothing', () => {
  test('give a warning with the nearest names', () => {
    const { warnings } = apply({ '3.sed': 1, negative: '', size: 1, subject: '', mood: '' });
    expect(warnings.map(textOf)).toEqual(['"3.sed" fits nothing in the workflow. Nearest: "3.seed".']);
  });

  test('are all errors when the request is strict', () => {
    const error = errorOf({ '3.sed': 1, nonsense_name: 2, '3.seed': 3 }, true);
    expect(error.code).toBe('unknown_param');
    expect(error.status).toBe(422);
    expect(error.faults?.map(({ path }) => path[1])).toEqual(['3.sed', 'nonsense_name']);
  });

  test('ten thousand of them are refused without being compared', () => {
    const params = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, 1]));
    expect(errorOf(params).message).toContain('at most 1000');
  });
});

describe('types', () => {
  test.each([
    ['3.steps', 'twenty', 'takes a number, got "twenty".'],
    ['4.name', 5, 'takes a string, got 5.'],
    ['4.fast', 'yes', 'takes true or false, got "yes".'],
    ['3.seed', null, 'takes a number, got null.'],
    ['3.model', { a: 1 }, 'takes a link to a node or a plain value, got {"a":1}.'],
    ['3.seed', ['99', 0], 'links to node 99, which is not in the workflow'],
  ])('refuses %s = %j', (name, value, message) => {
    const error = errorOf({ [name]: value });
    expect(error.code).toBe('invalid_param');
    expect(error.message).toContain(message);
  });

  test('a linked input takes a plain value or another link', () => {
    expect(apply({ '3.model': 'literal' }).graph['3']?.inputs.model).toBe('literal');
    expect(apply({ '3.model': ['6', 0] }).graph['3']?.inputs.model).toEqual(['6', 0]);
  });
});

test('an input that is only a placeholder also takes any type by its address', () => {
  expect(apply({ '8.size': 512 }).graph['8']?.inputs.size).toBe(512);
});

test('refuses links that make a cycle', () => {
  const chain: Graph = {
    a: { class_type: 'A', inputs: { x: ['b', 0] } },
    b: { class_type: 'B', inputs: { x: ['c', 0] } },
    c: { class_type: 'C', inputs: {} },
  };
  const params = { 'b.x': ['a', 0] };
  expect(() => applyParams({ graph: chain, params, strict: false, fileNames: new Map() })).toThrow(
    'The links in the params make nodes a → b → a a cycle.',
  );
});

test('nodes that no param addresses stay the same objects', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }), (params) => {
      const { $file: _, ...rest } = params;
      let result: Graph;
      try {
        result = apply(rest).graph;
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        return;
      }
      expect(Object.keys(result)).toEqual(Object.keys(graph));
      if (!Object.keys(rest).some((name) => name.startsWith('4.'))) expect(result['4']).toBe(graph['4']);
    }),
  );
});
