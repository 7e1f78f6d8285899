import type { Clock } from './clock.ts';

/** Asks once for what many callers want to know within a short time. The oldest answers go when there are too many. */
export class RememberedAnswers<Answer> {
  readonly #options;
  readonly #known = new Map<string, { answer: Promise<Answer>; atMs: number }>();

  constructor(options: { rememberedMs: number; maxRemembered: number; steadyClock: Clock }) {
    this.#options = options;
  }

  get(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const { rememberedMs, maxRemembered, steadyClock } = this.#options;
    const nowMs = steadyClock();
    const known = this.#known.get(key);
    if (known && nowMs - known.atMs < rememberedMs) return known.answer;
    const answer = ask();
    // A failed question is asked again the next time.
    answer.catch(() => this.#known.delete(key));
    this.#known.delete(key);
    this.#known.set(key, { answer, atMs: nowMs });
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxRemembered && oldest !== undefined) this.#known.delete(oldest);
    return answer;
  }
}
