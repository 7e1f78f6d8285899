import { demoModelName } from '../../agents/demo/demo-model-name.ts';
import type { ModelConfig } from '../../config/models.ts';

type Priced = Pick<ModelConfig, 'name' | 'model' | 'pricing'>;
type Pricing = NonNullable<ModelConfig['pricing']>;

export interface UsedTokens {
  tokens: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
}

/** The prices of the configured models, by the name under which a call is counted. */
export class ModelPrices {
  /** The currency that all prices share, when they do. */
  readonly currency: string | null;
  readonly #models: readonly Priced[];

  constructor(models: readonly Priced[]) {
    this.#models = models;
    const currencies = new Set(models.flatMap(({ pricing }) => (pricing ? [pricing.currency] : [])));
    const [only = null] = currencies.size === 1 ? currencies : [];
    this.currency = only;
  }

  /** Looks a model up by its name in the configuration, or else by the provider's name when all entries with that name agree. */
  of(model: string): Pricing | null {
    const named = this.#models.find(({ name }) => name === model);
    if (named) return named.pricing;
    const [first, ...others] = this.#models.filter((each) => each.model === model);
    const isAgreed = others.every(
      ({ pricing }) => JSON.stringify(pricing) === JSON.stringify(first?.pricing),
    );
    return isAgreed ? (first?.pricing ?? null) : null;
  }

  /** Returns whether the demo model has answered under this name. */
  isSimulated(model: string): boolean {
    return model === demoModelName && this.#models.every(({ name }) => name !== model);
  }

  newSum(): CostSum {
    return new CostSum(this);
  }
}

/** Adds up what calls cost. Calls without a price are counted separately and never as free. */
export class CostSum {
  readonly #prices: ModelPrices;
  readonly #amounts = new Map<string, number>();
  #unpricedTokens = 0;

  constructor(prices: ModelPrices) {
    this.#prices = prices;
  }

  add(model: string, used: UsedTokens): void {
    if (used.tokens === 0) return;
    const pricing = this.#prices.of(model);
    // A provider that reports only the total does not say how much of it was input.
    if (!pricing || used.input_tokens + used.output_tokens === 0) {
      this.#unpricedTokens += used.tokens;
      return;
    }
    const { currency } = pricing;
    this.#amounts.set(currency, (this.#amounts.get(currency) ?? 0) + amountOf(pricing, used));
  }

  /** Null as soon as a part is unknown: a partial sum would look like the whole cost. */
  total(): { cost: number | null; currency: string | null } {
    if (this.#unpricedTokens > 0 || this.#amounts.size > 1) return { cost: null, currency: null };
    const [[currency, amount] = [this.#prices.currency, 0]] = this.#amounts;
    return { cost: currency === null ? null : rounded(amount), currency };
  }

  get unpricedTokens(): number {
    return this.#unpricedTokens;
  }

  /** The known costs, by currency. */
  amounts(): Record<string, number> {
    return Object.fromEntries([...this.#amounts].map(([currency, amount]) => [currency, rounded(amount)]));
  }
}

/** Cached input is part of the input; it has its own price when one is configured. */
function amountOf(pricing: Pricing, { input_tokens, output_tokens, cache_read_tokens }: UsedTokens): number {
  const cached = Math.min(cache_read_tokens, input_tokens);
  const cachedPrice = pricing.input_cache_hit_per_million ?? pricing.input_per_million;
  const perMillion =
    (input_tokens - cached) * pricing.input_per_million +
    cached * cachedPrice +
    output_tokens * pricing.output_per_million;
  return perMillion / 1_000_000;
}

/** Digits beyond these are errors of floating point arithmetic. */
function rounded(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}
