import { describe, expect, test } from 'vitest';
import { readHistoryEntry } from './execution-result.ts';

const success = { status_str: 'success', completed: true, messages: [['execution_success', {}]] };

function entry(outputs: unknown, status: unknown = success) {
  return readHistoryEntry({ prompt: [1, 'p', {}, {}, []], outputs, status, meta: {} }, 'box:8188');
}

describe('outputs', () => {
  test('files of every kind are found, whatever the kind is called', () => {
    const file = (filename: string, type = 'output') => ({ filename, subfolder: '', type });
    const { files } = entry({
      '9': { images: [file('a.png'), file('b.png', 'temp')], animated: [false] },
      '12': { gifs: [{ ...file('c.mp4'), format: 'video/h264-mp4' }], audio: [file('d.flac')] },
    });
    expect(files.map(({ nodeId, filename, folder }) => [nodeId, filename, folder])).toEqual([
      ['9', 'a.png', 'output'],
      ['9', 'b.png', 'temp'],
      ['12', 'c.mp4', 'output'],
      ['12', 'd.flac', 'output'],
    ]);
  });

  test('texts are outputs, 3d models given by path are files', () => {
    const result = entry({
      '3': { text: ['hello', 'world'] },
      '4': { result: ['3d/cat.glb', { camera: 1 }] },
    });
    expect(result.texts).toEqual([
      { nodeId: '3', text: 'hello' },
      { nodeId: '3', text: 'world' },
    ]);
    expect(result.files).toEqual([{ nodeId: '4', filename: 'cat.glb', subfolder: '3d', folder: 'output' }]);
  });

  test('a file that a node names twice is one file', () => {
    const image = { filename: 'a.png', subfolder: '', type: 'output' };
    expect(entry({ '9': { images: [image], a_images: [image] } }).files).toHaveLength(1);
  });

  test.each([
    { filename: '../../etc/passwd' },
    { filename: '..' },
    { filename: '' },
    { filename: 'a/b.png' },
    { filename: 'a\\b.png' },
    { filename: 'a\u0000.png' },
    { filename: 'x'.repeat(300) },
    { filename: 'a.png', subfolder: '../..' },
    { filename: 'a.png', subfolder: 'x/../../y' },
    { filename: 'a.png', subfolder: '/etc' },
    { filename: 'a.png', subfolder: 'C:\\x' },
    { filename: 'a.png', subfolder: 7 },
    { filename: 'a.png', type: 'models' },
  ])('no file can be called %j: it counts as rejected', (item) => {
    const result = entry({ '9': { images: [{ subfolder: '', type: 'output', ...item }] } });
    expect([result.files.length, result.rejected]).toEqual([0, 1]);
  });

  test('nonsense among the outputs is skipped', () => {
    const result = entry({
      '9': { images: [null, 1, [], {}], text: 'no list' },
      '10': 'no object',
      '11': null,
    });
    expect(result).toMatchObject({ end: 'succeeded', files: [], texts: [], rejected: 0 });
  });
});

describe('ends', () => {
  test('an interrupted execution is distinguished from a failed one by its last message', () => {
    const status = (...messages: [string, unknown][]) => ({
      status_str: 'error',
      completed: false,
      messages,
    });
    expect(entry({}, status(['execution_start', {}], ['execution_interrupted', {}])).end).toBe('interrupted');
    const failed = entry(
      {},
      status(['execution_error', { node_type: 'KSampler', exception_message: 'boom' }]),
    );
    expect(failed).toMatchObject({ end: 'failed', error: { kind: 'node', message: 'KSampler: boom' } });
  });

  test('an execution without a status has succeeded', () => {
    expect(entry({}, null).end).toBe('succeeded');
  });

  test('knows which nodes came from the cache', () => {
    const messages = [['execution_cached', { nodes: ['1', '2', 3] }]];
    expect(entry({}, { status_str: 'success', messages }).cachedNodes).toEqual(['1', '2']);
  });
});

describe('errors', () => {
  const error = (data: Record<string, unknown>) =>
    entry({}, { status_str: 'error', messages: [['execution_error', data]] }).error;

  test('keeps one line, and neither the traceback nor the inputs', () => {
    const kept = error({
      node_id: '7',
      node_type: 'CLIPTextEncode',
      exception_type: 'ValueError',
      exception_message: 'bad thing\nsecond line',
      traceback: ['secret path'],
      current_inputs: { text: ['secret prompt'] },
    });
    expect(kept).toEqual({
      kind: 'node',
      message: 'CLIPTextEncode: bad thing',
      nodeId: '7',
      nodeClass: 'CLIPTextEncode',
    });
  });

  test.each([
    ['torch.cuda.OutOfMemoryError', 'Allocation on device 0 would exceed allowed memory.', 'out_of_memory'],
    ['torch.OutOfMemoryError', '', 'out_of_memory'],
    ['RuntimeError', 'CUDA out of memory. Tried to allocate 2 GiB', 'out_of_memory'],
    [
      'RuntimeError',
      "[enforce fail at alloc_cpu.cpp:118] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 2359296 bytes.",
      'out_of_memory',
    ],
    [
      'RuntimeError',
      '[enforce fail at ..\\c10\\core\\impl\\alloc_cpu.cpp:72] data. DefaultCPUAllocator: not enough memory: you tried to allocate 8 bytes.',
      'out_of_memory',
    ],
    [
      'RuntimeError',
      "DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes",
      'out_of_memory',
    ],
    ['MemoryError', '', 'out_of_memory'],
    ['numpy._core._exceptions._ArrayMemoryError', 'Unable to allocate 8 GiB', 'out_of_memory'],
    [
      'ValueError',
      "no such style: a GPU that is out of memory, DefaultCPUAllocator: can't allocate memory",
      'node',
    ],
    ['ValueError', 'no such style: a CUDA core in oil', 'node'],
    ['RuntimeError', 'cuDNN error: CUDNN_STATUS_NOT_SUPPORTED', 'device'],
    ['RuntimeError', 'CUDA error: device-side assert triggered', 'device'],
    ['torch.AcceleratorError', 'an illegal memory access', 'device'],
    ['ValueError', 'width must be positive', 'node'],
    ['OSError', "[Errno 28] No space left on device: '/out/a.png'", 'host'],
    ['OSError', '[Errno 30] Read-only file system', 'host'],
    ['OSError', '[Errno 5] Input/output error', 'host'],
    ['OSError', '[Errno 13] Permission denied', 'host'],
    ['PermissionError', "[Errno 13] Permission denied: '/out'", 'host'],
    ['FileNotFoundError', '[Errno 2] No such file or directory', 'node'],
    ['OSError', 'cannot identify image file [Errno 28] No space left on device', 'node'],
    ['ValueError', '[Errno 28] No space left on device', 'node'],
    ['MyOSError', '[Errno 28] No space left on device', 'node'],
    ['OSError', '[Errno 281] Something else', 'node'],
  ])('%s "%s" is %s', (exceptionType, message, kind) => {
    expect(error({ exception_type: exceptionType, exception_message: message })?.kind).toBe(kind);
  });

  test('an error without a message is still an error', () => {
    expect(error({ node_id: 5 })).toMatchObject({ kind: 'node', nodeId: null });
  });
});

test.each([null, 'text', {}, { outputs: [] }, { outputs: {}, status: 'success' }])(
  'refuses the entry %j',
  (given) => {
    expect(() => readHistoryEntry(given, 'box:8188')).toThrow('makes no sense');
  },
);
