import type { SuggestionsBody } from '@switchyard/contract/conversation/suggestions';
import { demoModelName } from '../../agents/demo/demo-model-name.ts';
import { demoFollowUps } from '../../agents/demo/follow-ups.ts';
import type { Log } from '../../lib/log.ts';
import { parseSuggestions, suggestionPrompt } from './suggestion.ts';

/** Sends a text to a model and returns its text. Null selects the default model. */
export type AskModel = (
  prompt: string,
  options: { model: string | null; signal: AbortSignal },
) => Promise<string>;

const maxWaitMs = 30_000;
/** The limit for all users together: suggestions that no one waits for must not occupy the models. */
const maxConcurrent = 16;

/** Questions that a user might ask next. They are optional: when they cannot be made the list is empty. */
export class Suggestions {
  readonly #options;
  #atOnce = 0;

  constructor(options: {
    /** Null while there is only the demo model. */
    ask: AskModel | null;
    hasPool: boolean;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  get areSimulated(): boolean {
    return this.#options.ask === null;
  }

  async of({ messages, n = 3, model_name = null }: SuggestionsBody): Promise<string[]> {
    const { ask, hasPool } = this.#options;
    const said = messages.filter(({ content }) => content.trim() !== '');
    if (said.length === 0) return [];
    if (ask) return this.#fromModel(ask, { said, max: n, model: model_name });
    if (model_name !== null && model_name !== demoModelName) return [];
    const asked = said.filter(({ role }) => role === 'user' || role === 'human');
    return demoFollowUps(
      asked.map(({ content }) => content),
      { max: n, hasPool },
    );
  }

  async #fromModel(
    ask: AskModel,
    { said, max, model }: { said: SuggestionsBody['messages']; max: number; model: string | null },
  ): Promise<string[]> {
    if (this.#atOnce >= maxConcurrent) return [];
    this.#atOnce += 1;
    try {
      const signal = AbortSignal.timeout(maxWaitMs);
      return parseSuggestions(await ask(suggestionPrompt(said, max), { model, signal }), max);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'A model gave no suggestions');
      return [];
    } finally {
      this.#atOnce -= 1;
    }
  }
}
