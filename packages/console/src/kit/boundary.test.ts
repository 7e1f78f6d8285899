import { createElement } from 'react';
import { act, create, type ReactTestRenderer } from 'react-test-renderer';
import { afterEach, expect, test, vi } from 'vitest';
import { Boundary } from './boundary.tsx';

afterEach(() => vi.unstubAllGlobals());

function Broken(): never {
  throw new TypeError('Invalid URL');
}

const bounded = (part: () => string) =>
  createElement(Boundary, { fallback: ({ message }) => `cannot be shown: ${message}` }, createElement(part));

test('a part that throws is replaced, and those beside it stay', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // React reports what the boundary has caught.
  let drawn: ReactTestRenderer | undefined;
  await act(async () => {
    drawn = create(
      createElement(
        'article',
        null,
        bounded(() => 'before'),
        bounded(Broken),
        bounded(() => 'after'),
      ),
    );
  });
  expect(drawn?.toJSON()).toMatchObject({ children: ['before', 'cannot be shown: Invalid URL', 'after'] });
  await act(async () => drawn?.unmount());
});
