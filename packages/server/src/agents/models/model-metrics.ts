import type { ModelConfig } from '../../config/models.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { demoModelName } from '../demo/demo-model-name.ts';
import type { FinishedCall } from '../run-contract/agent-run.ts';

export type MeasureCall = (call: FinishedCall) => void;

const other = { provider: 'other', model: 'other' };

/** Counts calls of models. Only a configured name becomes a label, because own code may choose any other. */
export function measureModels(
  metrics: Pick<Metrics, 'modelCalls' | 'modelCallDuration' | 'modelTokens'>,
  { models, countsTokens }: { models: readonly ModelConfig[]; countsTokens: boolean },
): MeasureCall {
  const known = new Map(models.map(({ name: model, provider }) => [model, { provider, model }]));
  if (models.length === 0) known.set(demoModelName, { provider: 'demo', model: demoModelName });
  return ({ model, outcome, tookMs, usage }) => {
    const labels = known.get(model ?? '') ?? other;
    metrics.modelCalls.inc({ ...labels, outcome });
    metrics.modelCallDuration.observe(labels, tookMs / 1000);
    if (!countsTokens || usage === null) return;
    const { input_tokens: input = 0, output_tokens: output = 0, input_token_details: details } = usage;
    metrics.modelTokens.inc({ ...labels, kind: 'input' }, input);
    metrics.modelTokens.inc({ ...labels, kind: 'cached_input' }, details?.cache_read ?? 0);
    metrics.modelTokens.inc({ ...labels, kind: 'output' }, output);
  };
}
