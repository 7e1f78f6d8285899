import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { ModelConfig } from '../../config/models.ts';
import { AppError } from '../../lib/app-error.ts';
import { DemoModel } from '../demo/demo-model.ts';
import { modelFields } from './model-fields.ts';
import { modelNames } from './model-names.ts';
import type { ModelWish } from './model-wish.ts';
import { loadProvider } from './provider-package.ts';

export interface ChatModelsOptions {
  configured: readonly ModelConfig[];
  /** Where packages of providers are looked for first. */
  cwd: string;
}

/** The configured models, each made on its first use; the demo model while there are none. */
export class ChatModels {
  readonly #options: ChatModelsOptions;
  readonly #made = new Map<string, Promise<BaseChatModel>>();

  constructor(options: ChatModelsOptions) {
    this.#options = options;
  }

  /** Throws `model_not_found` for a name that is not configured, `model_unavailable` where its package is missing. */
  async of(wish: ModelWish): Promise<BaseChatModel> {
    const { configured } = this.#options;
    const [defaultName] = modelNames(configured);
    const name = wish.name ?? defaultName;
    const key = JSON.stringify({ ...wish, name });
    const present = this.#made.get(key);
    if (present) return present;
    const making = this.#make(name, wish);
    this.#made.set(key, making);
    // Not kept: a package that was installed meanwhile is found on the next use.
    making.catch(() => this.#made.delete(key));
    return making;
  }

  /** Of the model that a run asks for; undefined for the demo model. */
  configOf({ name }: Pick<ModelWish, 'name'>): ModelConfig | undefined {
    const { configured } = this.#options;
    return name === null ? configured[0] : configured.find((each) => each.name === name);
  }

  /** Names of the models that are asked in turn when this one fails. */
  fallbacksOf(wish: Pick<ModelWish, 'name'>): string[] {
    const first = this.configOf(wish);
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

  async #make(name: string | undefined, wish: ModelWish): Promise<BaseChatModel> {
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
    return new Provider(modelFields(config, wish));
  }
}
