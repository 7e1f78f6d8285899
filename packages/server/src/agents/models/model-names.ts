import type { ModelConfig } from '../../config/models.ts';
import { demoModelName } from '../demo/demo-model-name.ts';

/**
 * Returns the names by which a run may ask for a model; the first is the default. When none is configured the demo model is used.
 */
export function modelNames(configured: readonly ModelConfig[]): string[] {
  return configured.length === 0 ? [demoModelName] : configured.map(({ name }) => name);
}
