import { describe, expect, it } from 'vitest';
import { argumentsLine, linesFor, resultLine } from './chat-events.ts';

describe('the arguments of a tool call', () => {
  it('are shown by their plain values, with a mark in place of a graph', () => {
    const workflow = { '1': { class_type: 'EmptyImage', inputs: { width: 3 } } };
    expect(argumentsLine({ name: 'Invert a picture', count: 2, workflow, tags: ['a'], params: {} })).toBe(
      'name="Invert a picture" count=2 workflow={…} tags=[…] params={}',
    );
  });

  it('are empty when there are none, and any text when they are not an object', () => {
    expect(argumentsLine({})).toBe('');
    expect(argumentsLine('half of a JSON')).toBe('half of a JSON');
  });

  it('contain no control sequence of a terminal', () => {
    expect(argumentsLine({ name: '\u001b[2Jx' })).not.toContain('\u001b');
  });
});

describe('the result of a tool', () => {
  it('is shown in the same way when it is an object, and unchanged when it is text', () => {
    expect(resultLine('{"status":"completed","files":[{"file_id":"x"}]}')).toBe(
      'status="completed" files=[…]',
    );
    expect(resultLine('OK, 3 files.')).toBe('OK, 3 files.');
    expect(resultLine('null')).toBe('null');
  });

  it('is cut when it is long', () => {
    expect(resultLine('x'.repeat(500)).length).toBeLessThan(210);
  });
});

it('a file that a task made is shown with the command that downloads it, because its address works only for signed-in users', () => {
  const files = [{ file_id: 'f1', filename: 'a.png', url: 'http://127.0.0.1/uploads/f1/a.png' }];
  expect(linesFor({ type: 'worker_task_completed', task_id: 't1', files })).toEqual([
    'task t1 completed',
    '  a.png  switchyard files download f1',
  ]);
});
