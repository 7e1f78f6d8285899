import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { ModelConfig } from '../../config/models.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Fetch } from '../../lib/bounded-fetch.ts';
import { DemoModel } from '../demo/demo-model.ts';
import { modelFields } from './model-fields.ts';
import { modelNames } from './model-names.ts';
import { loadProvider } from './provider-package.ts';
import type { RequestedModel } from './requested-model.ts';

export interface ChatModelsOptions {
  /** Calls the providers. */
  fetch: Fetch;
  configured: readonly ModelConfig[];
  /** Packages of providers are looked for here first. */
  cwd: string;
}

/** The configured models, each made on its first use. Without any, the demo model is used. */
export class ChatModels {
  readonly #options: ChatModelsOptions;
  readonly #made = new Map<string, Promise<BaseChatModel>>();

  constructor(options: ChatModelsOptions) {
    this.#options = options;
  }

  /** Throws `model_not_found` for a name that is not configured, and `model_unavailable` when its package is missing. */
  async of(requested: RequestedModel): Promise<BaseChatModel> {
    const { configured } = this.#options;
    const [defaultName] = modelNames(configured);
    const name = requested.name ?? defaultName;
    const key = JSON.stringify({ ...requested, name });
    const present = this.#made.get(key);
    if (present) return present;
    const making = this.#make(name, requested);
    this.#made.set(key, making);
    // A failure is not kept, so the next use finds a package that was installed meanwhile.
    making.catch(() => this.#made.delete(key));
    return making;
  }

  /** Makes a model for one call. `settings` take precedence over its configuration, under the names of LangChain's classes. */
  async forCall(requested: RequestedModel, settings: Record<string, unknown>): Promise<BaseChatModel> {
    return this.#make(requested.name ?? undefined, requested, settings);
  }

  /** Returns the configuration of the model that a run asks for, or undefined for the demo model. */
  configOf({ name }: Pick<RequestedModel, 'name'>): ModelConfig | undefined {
    const { configured } = this.#options;
    return name === null ? configured[0] : configured.find((each) => each.name === name);
  }

  /** Returns the names of the models that are asked in turn when this one fails. */
  fallbacksOf(requested: Pick<RequestedModel, 'name'>): string[] {
    const first = this.configOf(requested);
    const names = first ? [first.name] : [];
    for (
      let next = first?.fallback;
      next && !names.includes(next);
      next = this.configOf({ name: next })?.fallback
    ) {
      names.push(next);
    }
    return names.slice(1);
  }

  async #make(
    name: string | undefined,
    requested: RequestedModel,
    settings: Record<string, unknown> = {},
  ): Promise<BaseChatModel> {
    const { configured, cwd } = this.#options;
    const names = modelNames(configured);
    if (name === undefined || !names.includes(name)) {
      throw new AppError('model_not_found', {
        message: `Model '${name}' is not configured; these are: ${names.join(', ')}`,
      });
    }
    const config = this.configOf({ name });
    if (!config) return new DemoModel();
    const Provider = await loadProvider(config.provider, { cwd });
    return new Provider({ ...modelFields(config, requested, this.#options.fetch), ...settings });
  }
}
