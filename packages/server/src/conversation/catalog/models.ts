import type { Model } from '@switchyard/contract/conversation/model';
import { AppError } from '../../lib/app-error.ts';
import { demoModelName } from '../agent/demo/demo-model-name.ts';

/** While no model is configured this one stands in, and says so wherever it appears. */
const demoModel: Model = {
  name: demoModelName,
  model: demoModelName,
  display_name: 'Demo model (simulated)',
  description: 'Scripted, not an AI. It answers a few plain requests and calls real tools.',
  supports_thinking: false,
  supports_reasoning_effort: false,
  simulated: true,
};

export function listModels(): Model[] {
  return [demoModel];
}

export function findModel(name: string): Model {
  const found = listModels().find((model) => model.name === name);
  if (!found) throw new AppError('model_not_found', { message: `Model '${name}' not found` });
  return found;
}
