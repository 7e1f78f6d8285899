import type { SuggestionsBody } from '@switchyard/contract/conversation/suggestions';
import { demoModelName } from '../../agents/demo/demo-model-name.ts';
import { demoFollowUps } from '../../agents/demo/follow-ups.ts';
import { parseSuggestions, suggestionPrompt } from './suggestion.ts';

/** Puts a text to a model and answers its text. Null names the default model. */
export type AskModel = (
  prompt: string,
  options: { model: string | null; signal: AbortSignal },
) => Promise<string>;

interface SuggestionsOptions {
  /** Null while only the demo model is there. */
  ask: AskModel | null;
  hasPool: boolean;
  log: { warn(details: object, message: string): void };
}

const longestWaitMs = 30_000;
/** Of all users together: a click that nobody waits for must not hold the models. */
const mostAtOnce = 16;

/** Questions that a user might ask next. Nobody fails for want of them: without any there are none. */
export class Suggestions {
  readonly #options: SuggestionsOptions;
  #atOnce = 0;

  constructor(options: SuggestionsOptions) {
    this.#options = options;
  }

  get areSimulated(): boolean {
    return this.#options.ask === null;
  }

  async of({ messages, n = 3, model_name = null }: SuggestionsBody): Promise<string[]> {
    const { ask, hasPool } = this.#options;
    const said = messages.filter(({ content }) => content.trim() !== '');
    if (said.length === 0) return [];
    if (ask) return this.#fromModel(ask, { said, most: n, model: model_name });
    if (model_name !== null && model_name !== demoModelName) return [];
    const asked = said.filter(({ role }) => role === 'user' || role === 'human');
    return demoFollowUps(
      asked.map(({ content }) => content),
      { max: n, hasPool },
    );
  }

  async #fromModel(
    ask: AskModel,
    { said, most, model }: { said: SuggestionsBody['messages']; most: number; model: string | null },
  ): Promise<string[]> {
    if (this.#atOnce >= mostAtOnce) return [];
    this.#atOnce += 1;
    try {
      const signal = AbortSignal.timeout(longestWaitMs);
      return parseSuggestions(await ask(suggestionPrompt(said, most), { model, signal }), most);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'A model gave no suggestions');
      return [];
    } finally {
      this.#atOnce -= 1;
    }
  }
}
