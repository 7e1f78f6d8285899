import { expect, it } from 'vitest';
import { toldEvent } from './told-event.ts';

/** As LangChain writes an error into its events. */
function written(error: Error): string {
  return `${error.message}\n\n${error.stack}`;
}

const errorOf = (text: string) =>
  (toldEvent({ event: 'on_tool_error', data: { error: text } }) as { data: { error: string } }).data.error;

it.each(['broke', 'two\nlines', 'with an\n\nempty line', ''])(
  'tells of an error its message alone: %j',
  (message) => {
    expect(errorOf(written(new TypeError(message)))).toBe(message);
  },
);

it('cuts a stack off whose error has changed its message since', () => {
  const error = new Error('before');
  const { stack } = error;
  expect(stack).toContain(import.meta.filename);
  expect(errorOf(`after\n\n${stack}`)).toBe('after\n\nError: before');
});

it('leaves everything else as it is', () => {
  expect(errorOf('a text')).toBe('a text');
  const event = { event: 'on_tool_end', data: { output: { error: 'x\n    at y' } } };
  expect(toldEvent(event)).toBe(event);
});
