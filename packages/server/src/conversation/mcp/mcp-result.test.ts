import { expect, it } from 'vitest';
import { toolResult } from './mcp-result.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

it('has the texts of its blocks in their order, and names what it only points to', () => {
  const link = { type: 'resource_link', name: 'notes', mimeType: 'text/plain', uri: 'demo://notes/1' };
  const content = [
    { type: 'text', text: 'Here:' },
    { type: 'resource', resource: { uri: 'demo://a', text: 'inside' } },
    link,
    { type: 'later', data: 7 },
  ];
  expect(toolResult({ content })).toEqual({
    text: 'Here:\ninside\n[resource_link: notes, text/plain, demo://notes/1]\n[later: no text]',
    files: [],
  });
});

it('has pictures, sounds and the content of resources as files', () => {
  const resource = {
    uri: 'demo://reports/the-report.pdf?v=2',
    mimeType: 'application/pdf',
    blob: base64('pages'),
  };
  const content = [
    { type: 'image', data: base64('a cat'), mimeType: 'image/png' },
    { type: 'audio', data: base64('meow') },
    { type: 'resource', resource },
    { type: 'text', text: 'Done.' },
  ];
  expect(toolResult({ content })).toEqual({
    text: 'Done.',
    files: [
      { mediaType: 'image/png', name: null, bytes: Buffer.from('a cat') },
      { mediaType: 'application/octet-stream', name: null, bytes: Buffer.from('meow') },
      { mediaType: 'application/pdf', name: 'the-report.pdf', bytes: Buffer.from('pages') },
    ],
  });
});

it('is a failure with its text, or a sentence when there is none', () => {
  const content = [{ type: 'text', text: 'no paper' }];
  expect(() => toolResult({ content, isError: true })).toThrow('no paper');
  expect(() => toolResult({ isError: true })).toThrow('gave no reason');
});
