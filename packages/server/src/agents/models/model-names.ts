import type { ModelConfig } from '../../config/models.ts';
import { demoModelName } from '../demo/demo-model-name.ts';

/** Names by which a run may ask for a model; the first is the default. While none is configured the demo stands in. */
export function modelNames(configured: readonly ModelConfig[]): string[] {
  return configured.length === 0 ? [demoModelName] : configured.map(({ name }) => name);
}
