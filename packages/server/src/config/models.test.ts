import { describe, expect, it } from 'vitest';
import { ConfigError } from './faults.ts';
import { loadConfig } from './load.ts';
import { maskedModels, readModels } from './models.ts';

describe('models', () => {
  it('can be written as a list, or as a map keyed by name', () => {
    const keys = { provider: 'openai', model: 'gpt-x', max_tokens: 100 };

    expect(readModels({ fast: keys })).toEqual(readModels([{ name: 'fast', ...keys }]));
    expect(readModels({ fast: null })).toMatchObject([{ name: 'fast', provider: 'openai', model: 'fast' }]);
  });

  it.each([
    ['text', 'a list of models, or a map'],
    [['fast'], '[0] must hold keys: name'],
    [[{ model: 'x' }], '[0].name is missing'],
    [[{ name: 'a' }, { name: 'a' }], 'two models of the name "a"'],
    [{ a: { api_kye: 'hunter2' } }, '.a has the unknown key "api_kye"; did you mean api_key?'],
    [{ a: { provider: '../evil' } }, '.a.provider must be openai'],
    [{ a: { base_url: 'file:///etc' } }, '.a.base_url must be an http'],
    [{ a: { max_tokens: 0 } }, '.a.max_tokens must be a whole number, at least 1'],
    [{ a: { temperature: 'warm' } }, '.a.temperature must be a number, from 0 to 2'],
    [{ a: { supports_vision: 'perhaps' } }, '.a.supports_vision must be true or false'],
    [{ a: { pricing: { input_per_million: 1 } } }, '.a.pricing must hold the prices'],
    [{ a: { pricing: { input_per_million: 1, output_per_million: -1 } } }, '.a.pricing must hold the prices'],
    [
      { a: { pricing: { input_per_million: 1, output_per_million: 1, per_call: 1 } } },
      '.a.pricing must hold',
    ],
    [
      { a: { pricing: { input_per_million: 1, output_per_million: 1, currency: 'euro' } } },
      'capital letters',
    ],
    [{ a: { fallback: 'b' } }, 'has no model "b", which is the fallback of "a"'],
    [{ a: { options: [1] } }, ".a.options must hold keys of the provider's own"],
  ])('refuse %j', (data, message) => {
    expect(() => readModels(data)).toThrow(RangeError);
    expect(() => readModels(data)).toThrow(message);
  });

  it('have the price that is written, in US dollars if no currency is named', () => {
    const pricing = { input_per_million: 3, output_per_million: '15' };
    expect(readModels({ a: { pricing }, b: {} })).toMatchObject([
      { pricing: { ...pricing, output_per_million: 15, input_cache_hit_per_million: null, currency: 'USD' } },
      { pricing: null },
    ]);
  });

  it('never quote a key that is refused', () => {
    expect(() => readModels({ a: { api_key: ['hunter2'] } })).toThrow('.a.api_key must be text');
    expect(() => readModels({ a: { api_key: ['hunter2'] } })).not.toThrow('hunter2');
  });

  it('are shown without their secrets', () => {
    const models = readModels({ a: { api_key: 'hunter2', options: { token: 'hunter3' } } });

    expect(maskedModels(models)).toMatchObject([{ name: 'a', api_key: '***', options: { token: '***' } }]);
    expect(JSON.stringify(maskedModels(models))).not.toMatch(/hunter/);
  });

  it('come from the environment as JSON', () => {
    const env = { SWITCHYARD__MODELS: '{"fast":{"model":"gpt-x"}}' };

    expect(loadConfig({ env, cwd: '/nowhere' }).config.models).toMatchObject([
      { name: 'fast', model: 'gpt-x' },
    ]);
    expect(() => loadConfig({ env: { SWITCHYARD__MODELS: 'fast' }, cwd: '/nowhere' })).toThrow(ConfigError);
  });
});
