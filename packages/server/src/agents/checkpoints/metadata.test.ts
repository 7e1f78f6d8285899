import { expect, test } from 'vitest';
import { metadataText, runMetadata } from './metadata.ts';

test('stores U+0000 and half a character as U+FFFD, in keys as well', () => {
  const text = metadataText({ 'a\0': ['b\0', { 'c\ud83d': '\ude00 d' }], whole: '😀', slash: '\\u0000' });

  expect(JSON.parse(text)).toEqual({
    'a\ufffd': ['b\ufffd', { 'c\ufffd': '\ufffd d' }],
    whole: '😀',
    slash: '\\u0000',
  });
});

test('keeps what came with a run, and nothing that only the runtime or a tracing service needs', () => {
  const metadata = { team: 'a', ls_integration: 'langgraph', thread_id: 't', __secret: 1 };

  expect(runMetadata({ metadata })).toEqual({ team: 'a' });
});
