import { expect, test } from 'vitest';
import { workerPathsIn } from './worker-paths.ts';

const sha = 'a'.repeat(64);

/**
 * Returns where the text in this input leads, or null when it may stay; `told` when the worker has to say what the
 * input takes.
 */
function placeOf(value: unknown, input = 'image') {
  const [path, ...others] = workerPathsIn(
    { '1': { class_type: 'X', inputs: { [input]: value } } },
    new Set(),
  );
  expect(others).toEqual([]);
  return path ? `${path.to}${path.isDoubtful ? ' if told' : ''}` : null;
}

test.each([
  ['private/x_00001_.png [output]', 'output'],
  ['x.png[output]', 'output'],
  ['x.png [temp] ', 'temp'],
  ['output/x.png', 'output'],
  ['./temp/x.png', 'temp'],
  ['output\\x.png', 'output'],
  ['../output/x.png', 'outside'],
  ['a/../../x.png', 'outside'],
  ['..\\output\\x.png', 'outside'],
  ['../x.png [input]', 'outside'],
  ['/etc/passwd', 'outside'],
  ['C:\\x.png', 'outside'],
  ['\\\\host\\share\\x.png', 'outside'],
  ['~/x.png', 'outside'],
  ['file:///etc/passwd', 'outside'],
  [`gw/${sha}.png`, 'pushed'],
  [['a.png', { deep: 'x.png [output]' }], 'output'],
])('%j in an input for a file leads to what is not the task’s own', (value, place) => {
  expect(placeOf(value)).toBe(place);
});

test.each([
  'x.png',
  'sub/x.png',
  'x.png [input]',
  'outputs/x.png',
  'output.png',
  'https://example.org/output/x.png',
  `/9j/4AAQ${'Sk'.repeat(200)}==`,
  'a..b.png',
  7,
  ['2', 0],
])('%j in an input for a file stays', (value) => {
  expect(placeOf(value)).toBeNull();
});

test('a text that looks like a path counts only when the worker says that the input takes a file', () => {
  expect(placeOf('/imagine a cat', 'text')).toBe('outside if told');
  expect(placeOf('../x.png', 'picture')).toBe('outside if told');
  expect(placeOf('a cat\nx.png [output]', 'text')).toBeNull();
});

test('a prompt that ends like a reference is a text, unless the worker says that the input takes a file', () => {
  expect(placeOf('a cat, looking at the [output]', 'text')).toBe('output if told');
  expect(placeOf('x.png [output]', 'anything')).toBe('output if told');
});

test('the name of an output may have folders but must not lead out of them', () => {
  expect(placeOf('a/%date%/x', 'filename_prefix')).toBeNull();
  expect(placeOf('output/x', 'filename_prefix')).toBeNull();
  expect(placeOf('a/../../x', 'filename_prefix')).toBe('beyond');
  expect(placeOf('/tmp/x', 'filename_prefix')).toBe('beyond');
});

test('the task’s own files are allowed', () => {
  const graph = { '1': { class_type: 'LoadImage', inputs: { image: `gw/${sha}.png` } } };
  expect(workerPathsIn(graph, new Set([`gw/${sha}.png`]))).toEqual([]);
});
