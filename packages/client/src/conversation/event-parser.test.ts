import { describe, expect, it } from 'vitest';
import { EventParser } from './event-parser.ts';

const stream = [
  ': hb\n',
  'event: metadata\nid: 1\ndata: {"run_id":"r"}\n\n',
  ': hb\n: hb\n',
  'id: 2\r\nevent: messages|agent:1\r\ndata: ["東京",{}]\r\n\r\n',
  'event: values\ndata: {\ndata: }\n\n',
  'event: nothing\n\n',
  'data:x\n\n',
  'event: cut off\ndata: {"a"',
].join('');

const events = [
  { event: 'metadata', id: '1', data: '{"run_id":"r"}' },
  { event: 'messages|agent:1', id: '2', data: '["東京",{}]' },
  { event: 'values', id: null, data: '{\n}' },
  { event: '', id: null, data: 'x' },
];

describe('an event stream', () => {
  it('is read into its events; comments and unfinished events are left out', () => {
    expect(new EventParser().push(stream)).toEqual(events);
  });

  it.each([1, 2, 3, 7, 50])('may arrive in pieces of %i', (size) => {
    const parser = new EventParser();
    const seen = [];
    for (let at = 0; at < stream.length; at += size) seen.push(...parser.push(stream.slice(at, at + size)));
    expect(seen).toEqual(events);
  });

  it('may have events up to the maximum length', () => {
    const data = 'x'.repeat(40);
    expect(new EventParser(50).push(`data: ${data}`)).toEqual([]);
    const parser = new EventParser(50);
    expect([...parser.push(`data: ${data}`), ...parser.push('\n\n')]).toMatchObject([{ data }]);
  });

  it.each([
    ['a line that does not end', ['data: ', 'x'.repeat(60)]],
    ['an event of many lines that does not end', Array.from({ length: 20 }, () => 'data: xxxxx\n')],
  ])('is refused for %s', (_what, pieces) => {
    const parser = new EventParser(50);
    const reading = () => pieces.map((piece) => parser.push(piece));

    expect(reading).toThrow('an event of more than 50 characters');
    expect(reading).toThrow();
  });
});
