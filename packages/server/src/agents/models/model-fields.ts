import type { ModelConfig } from '../../config/models.ts';
import { boundedFetch } from '../../lib/bounded-fetch.ts';
import { modelNameKey } from './model-name-key.ts';
import type { ModelWish } from './model-wish.ts';

type Fields = Record<string, unknown>;

/** Of one answer, which is read into memory: several times what the longest answers of today's models take in a stream. */
const answerLimits = { maxBytes: 64 * 1024 * 1024, maxLineBytes: 8 * 1024 * 1024 };
const answering = { fetch: boundedFetch(fetch, answerLimits) };

/** What the class of the provider is constructed with. Settings of the configuration win over ours. */
export function modelFields(config: ModelConfig, wish: ModelWish): Fields {
  return present({
    model: config.model,
    apiKey: config.api_key,
    maxTokens: config.max_tokens,
    temperature: config.temperature,
    // Calls are tried again by the agent, which says so in the stream.
    maxRetries: 0,
    metadata: { [modelNameKey]: config.name },
    ...ofProvider(config, effortOf(config, wish)),
    ...config.options,
    ...thinkingOptions(config, wish),
  });
}

function ofProvider({ provider, base_url, api_key, options }: ModelConfig, effort: string | null): Fields {
  switch (provider) {
    case 'openai':
      return {
        // A key of the environment belongs to OpenAI, and not to whoever the address names.
        apiKey: api_key ?? (base_url === null ? null : 'none'),
        configuration: { ...answering, ...(base_url !== null && { baseURL: base_url }) },
        // Beside the class's own setting, which it sends for models with names of OpenAI's only.
        ...(effort !== null && {
          modelKwargs: { ...(options.modelKwargs as Fields), reasoning_effort: effort },
        }),
      };
    case 'anthropic':
      return { anthropicApiUrl: base_url, clientOptions: answering };
    default:
      // Packages differ in how they write it.
      return { baseUrl: base_url, baseURL: base_url };
  }
}

/** Who wants no thinking gets as little as there is. */
function effortOf(config: ModelConfig, { thinking, effort }: ModelWish): string | null {
  if (!config.supports_reasoning_effort) return null;
  if (config.supports_thinking && !thinking) return 'minimal';
  return effort;
}

const anthropicThinkingTokens = 4_096;

function thinkingOptions(config: ModelConfig, { thinking }: ModelWish): Fields {
  if (!config.supports_thinking) return {};
  if (!thinking) return config.when_thinking_disabled;
  if (config.provider !== 'anthropic') return config.when_thinking_enabled;
  const budget = { type: 'enabled', budget_tokens: anthropicThinkingTokens };
  // Anthropic refuses a temperature beside thinking, and counts what is thought among the tokens of the answer.
  const maxTokens = Math.max(config.max_tokens ?? 0, 2 * anthropicThinkingTokens);
  return { thinking: budget, maxTokens, temperature: undefined, ...config.when_thinking_enabled };
}

function present(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
