import { describe, expect, it } from 'vitest';
import { contextUsageOf } from './context-usage.ts';

const messages = [
  { type: 'human', content: 'x'.repeat(40) },
  { type: 'ai', content: [{ type: 'text', text: 'y'.repeat(360) }], tool_calls: [] },
];

function usageOf(
  values: object | null,
  { model = 'big', windows = { big: 1_000, other: 400 } as Record<string, number | null> } = {},
) {
  const row = values && { values: JSON.stringify(values) };
  const models = Object.entries(windows).map(([name, context_window]) => ({ name, context_window }));
  return contextUsageOf({
    threads: { snapshot: async () => row ?? undefined },
    modelOf: async () => model,
    models,
  })('t');
}

describe('how much of the window a thread takes', () => {
  it('is an estimate of its messages, by the window of the model of its newest run', async () => {
    expect(await usageOf({ messages })).toEqual({
      token_count: 100,
      max_context_tokens: 1_000,
      percentage: 10,
    });
    expect(await usageOf({ messages }, { model: 'other' })).toMatchObject({ percentage: 25 });
  });

  it('goes by the first model when the newest run’s is no longer configured', async () => {
    expect(await usageOf({ messages }, { model: 'gone' })).toMatchObject({ max_context_tokens: 1_000 });
  });

  it('has no percentage when the window is unknown, and may be more than all of it', async () => {
    expect(await usageOf({ messages }, { windows: { big: null } })).toEqual({
      token_count: 100,
      max_context_tokens: null,
      percentage: null,
    });
    expect(await usageOf({ messages }, { windows: { big: 80 } })).toMatchObject({ percentage: 125 });
  });

  it('is unknown without a state, and zero when the state has no messages', async () => {
    expect(await usageOf(null)).toBeNull();
    expect(await usageOf({ messages: 'none' })).toMatchObject({ token_count: 0, percentage: 0 });
  });
});
