import { expect, it } from 'vitest';
import { readModels } from '../../config/models.ts';
import { Metrics } from '../../platform/telemetry/metrics.ts';
import { measureModels } from './model-metrics.ts';

const models = readModels({ fast: { provider: 'openai', model: 'gpt-5' } });
const usage = { input_tokens: 10, output_tokens: 2, input_token_details: { cache_read: 4 } };

async function seriesAfter(
  named: (string | null)[],
  given = { models, countsTokens: true },
): Promise<string[]> {
  const metrics = new Metrics({ version: 'test' });
  const measure = measureModels(metrics, given);
  for (const model of named) measure({ model, outcome: 'ok', tookMs: 1, usage });
  const lines = (await metrics.render()).split('\n');
  metrics.close();
  return lines.filter((line) => /^switchyard_model_(calls|tokens)_total\{/.test(line));
}

it('counts calls under configured names, and all that own code has named as one', async () => {
  expect(await seriesAfter(['fast', 'gpt-5', 'a model of a user', null])).toEqual([
    'switchyard_model_calls_total{provider="openai",model="fast",outcome="ok"} 1',
    'switchyard_model_calls_total{provider="other",model="other",outcome="ok"} 3',
    'switchyard_model_tokens_total{provider="openai",model="fast",kind="input"} 10',
    'switchyard_model_tokens_total{provider="openai",model="fast",kind="cached_input"} 4',
    'switchyard_model_tokens_total{provider="openai",model="fast",kind="output"} 2',
    'switchyard_model_tokens_total{provider="other",model="other",kind="input"} 30',
    'switchyard_model_tokens_total{provider="other",model="other",kind="cached_input"} 12',
    'switchyard_model_tokens_total{provider="other",model="other",kind="output"} 6',
  ]);
});

it('knows the demo model where none is configured, and counts no tokens when they are not to be counted', async () => {
  expect(await seriesAfter(['switchyard-demo', 'fast'], { models: [], countsTokens: false })).toEqual([
    'switchyard_model_calls_total{provider="demo",model="switchyard-demo",outcome="ok"} 1',
    'switchyard_model_calls_total{provider="other",model="other",outcome="ok"} 1',
  ]);
});
