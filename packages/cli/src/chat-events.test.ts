import { describe, expect, it } from 'vitest';
import { argumentsLine, linesFor, resultLine } from './chat-events.ts';

describe('what a tool is called with', () => {
  it('is told by its plain values; a graph is a mark', () => {
    const workflow = { '1': { class_type: 'EmptyImage', inputs: { width: 3 } } };
    expect(argumentsLine({ name: 'Invert a picture', count: 2, workflow, tags: ['a'], params: {} })).toBe(
      'name="Invert a picture" count=2 workflow={…} tags=[…] params={}',
    );
  });

  it('is nothing where nothing is given, and any text where it is no object', () => {
    expect(argumentsLine({})).toBe('');
    expect(argumentsLine('half of a JSON')).toBe('half of a JSON');
  });

  it('holds nothing that a terminal would obey', () => {
    expect(argumentsLine({ name: '\u001b[2Jx' })).not.toContain('\u001b');
  });
});

describe('what a tool answers', () => {
  it('is told in the same way where it is an object, and as it is where it is a text', () => {
    expect(resultLine('{"status":"completed","files":[{"file_id":"x"}]}')).toBe(
      'status="completed" files=[…]',
    );
    expect(resultLine('OK, 3 files.')).toBe('OK, 3 files.');
    expect(resultLine('null')).toBe('null');
  });

  it('is cut where it is long', () => {
    expect(resultLine('x'.repeat(500)).length).toBeLessThan(210);
  });
});

it('a file that a task made is told with what fetches it: its address opens only where somebody is signed in', () => {
  const files = [{ file_id: 'f1', filename: 'a.png', url: 'http://127.0.0.1/uploads/f1/a.png' }];
  expect(linesFor({ type: 'worker_task_completed', task_id: 't1', files })).toEqual([
    'task t1 completed',
    '  a.png  switchyard files download f1',
  ]);
});
