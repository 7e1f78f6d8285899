import { expect, it } from 'vitest';
import { readModels } from '../../config/models.ts';
import { ModelPrices, type UsedTokens } from './costs.ts';

const million = 1_000_000;
const used = (changes: Partial<UsedTokens>): UsedTokens => {
  const counts = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, ...changes };
  return { tokens: counts.input_tokens + counts.output_tokens, ...counts };
};

function costOf(models: object, calls: [model: string, tokens: Partial<UsedTokens>][]) {
  const sum = new ModelPrices(readModels(models)).newSum();
  for (const [model, tokens] of calls) sum.add(model, { ...used(tokens), ...tokens });
  return { ...sum.total(), unpriced: sum.unpricedTokens };
}

const pricing = { input_per_million: 3, output_per_million: 15, input_cache_hit_per_million: 0.3 };

it('cached input is part of the input, at its own price', () => {
  const tokens = { input_tokens: 2 * million, cache_read_tokens: million, output_tokens: 100_000 };
  // 1 × 3 + 1 × 0.3 + 0.1 × 15
  expect(costOf({ a: { pricing } }, [['a', tokens]])).toEqual({ cost: 4.8, currency: 'USD', unpriced: 0 });
});

it('cached input costs as much as other input when it has no price of its own', () => {
  const { input_cache_hit_per_million: _, ...plain } = pricing;
  const tokens = { input_tokens: 2 * million, cache_read_tokens: million };
  expect(costOf({ a: { pricing: plain } }, [['a', tokens]]).cost).toBe(6);
});

it('more cached input than input is an error of the provider and lowers no cost', () => {
  const tokens = { input_tokens: million, cache_read_tokens: 5 * million };
  expect(costOf({ a: { pricing } }, [['a', tokens]]).cost).toBe(0.3);
});

it('a price of zero is a price', () => {
  const free = { input_per_million: 0, output_per_million: 0 };
  const tokens = { input_tokens: million };
  expect(costOf({ local: { pricing: free } }, [['local', tokens]])).toMatchObject({
    cost: 0,
    currency: 'USD',
  });
});

it('a model is found by its name in the configuration, or else by the name that its provider uses', () => {
  const models = { fast: { model: 'gpt-x', pricing }, other: { model: 'fast' } };
  const tokens = { output_tokens: million };
  expect(costOf(models, [['gpt-x', tokens]]).cost).toBe(15);
  expect(costOf(models, [['fast', tokens]]).cost).toBe(15);
});

it('a provider’s name that has several prices has none', () => {
  const models = {
    a: { model: 'gpt-x', pricing },
    b: { model: 'gpt-x', pricing: { ...pricing, output_per_million: 1 } },
  };
  expect(costOf(models, [['gpt-x', { output_tokens: 7 }]])).toEqual({
    cost: null,
    currency: null,
    unpriced: 7,
  });
});

it('one part without a price makes the whole cost unknown', () => {
  const calls: [string, Partial<UsedTokens>][] = [
    ['a', { input_tokens: 10 }],
    ['stranger', { input_tokens: 5, output_tokens: 1 }],
  ];
  expect(costOf({ a: { pricing } }, calls)).toEqual({ cost: null, currency: null, unpriced: 6 });
});

it('tokens that are reported as neither input nor output have no price', () => {
  expect(costOf({ a: { pricing } }, [['a', { tokens: 9 }]])).toMatchObject({ cost: null, unpriced: 9 });
});

it('using nothing costs nothing, in the currency when there is one', () => {
  expect(costOf({ a: { pricing } }, [])).toEqual({ cost: 0, currency: 'USD', unpriced: 0 });
  expect(costOf({ a: {} }, [])).toEqual({ cost: null, currency: null, unpriced: 0 });
});
