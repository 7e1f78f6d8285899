import type { Model } from '@switchyard/contract/conversation/model';
import { demoModelName } from '../../agents/demo/demo-model-name.ts';
import type { ModelConfig } from '../../config/models.ts';
import { AppError } from '../../lib/app-error.ts';

/** Stands in while no model is configured, and is marked as a demo wherever it appears. */
const demoModel: Model = {
  name: demoModelName,
  model: demoModelName,
  display_name: 'Demo model (simulated)',
  description: 'Scripted, not an AI. It answers a few plain requests and calls real tools.',
  supports_thinking: false,
  supports_reasoning_effort: false,
  supports_vision: false,
  input_price_per_million: null,
  output_price_per_million: null,
  price_currency: null,
  simulated: true,
};

/** The configured models as callers see them: without keys, addresses and options. */
export function shownModels(configured: readonly ModelConfig[]): Model[] {
  return configured.length === 0 ? [demoModel] : configured.map(present);
}

export function findModel(models: readonly Model[], name: string): Model {
  const found = models.find((model) => model.name === name);
  if (!found) throw new AppError('model_not_found', { message: `Model '${name}' not found` });
  return found;
}

function present(config: ModelConfig): Model {
  return {
    name: config.name,
    model: config.model,
    display_name: config.display_name,
    description: config.description,
    supports_thinking: config.supports_thinking,
    supports_reasoning_effort: config.supports_reasoning_effort,
    supports_vision: config.supports_vision,
    input_price_per_million: config.pricing?.input_per_million ?? null,
    output_price_per_million: config.pricing?.output_per_million ?? null,
    price_currency: config.pricing?.currency ?? null,
    simulated: false,
  };
}
