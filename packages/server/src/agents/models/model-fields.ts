import type { ModelConfig } from '../../config/models.ts';
import { boundedFetch, type Fetch } from '../../lib/bounded-fetch.ts';
import { modelNameKey } from './model-name-key.ts';
import type { RequestedModel } from './requested-model.ts';

type Fields = Record<string, unknown>;

/**
 * Limits of one answer, which is read into memory. They are several times what the longest answers of today's models take in a
 * stream.
 */
const answerLimits = { maxBytes: 64 * 1024 * 1024, maxLineBytes: 8 * 1024 * 1024 };

/** Returns the fields that the provider's class is constructed with. Settings of the configuration take precedence over ours. */
export function modelFields(config: ModelConfig, requested: RequestedModel, fetch: Fetch): Fields {
  return present({
    model: config.model,
    apiKey: config.api_key,
    maxTokens: config.max_tokens,
    temperature: config.temperature,
    // The agent repeats failed calls itself, so that it can say so in the stream.
    maxRetries: 0,
    metadata: { [modelNameKey]: config.name },
    ...ofProvider(config, effortOf(config, requested), { fetch: boundedFetch(fetch, answerLimits) }),
    ...config.options,
    ...thinkingOptions(config, requested),
  });
}

/** Returns the options that send a header with one call, under the names of the provider's class. */
export function traceOptions(config: ModelConfig | undefined, traceparent: string | undefined): Fields {
  if (traceparent === undefined) return {};
  const headers = { traceparent };
  switch (config?.provider) {
    case 'openai':
      return { options: { headers } };
    case 'anthropic':
      return { headers };
    default:
      // Each package has a way of its own, or none.
      return {};
  }
}

function ofProvider(
  { provider, base_url, api_key, options }: ModelConfig,
  effort: string | null,
  answering: { fetch: Fetch },
): Fields {
  switch (provider) {
    case 'openai':
      return {
        // A key from the environment belongs to OpenAI and must not go to another address.
        apiKey: api_key ?? (base_url === null ? null : 'none'),
        configuration: { ...answering, ...(base_url !== null && { baseURL: base_url }) },
        // Set beside the class's own setting, which it sends only for models with names of OpenAI.
        ...(effort !== null && {
          modelKwargs: { ...(options.modelKwargs as Fields), reasoning_effort: effort },
        }),
      };
    case 'anthropic':
      return { anthropicApiUrl: base_url, clientOptions: answering };
    default:
      // Packages write this field in different ways.
      return { baseUrl: base_url, baseURL: base_url };
  }
}

/** A run without thinking gets the lowest effort that the model offers. */
function effortOf(config: ModelConfig, { thinking, effort }: RequestedModel): string | null {
  if (!config.supports_reasoning_effort) return null;
  if (config.supports_thinking && !thinking) return 'minimal';
  return effort;
}

const anthropicThinkingTokens = 4_096;

function thinkingOptions(config: ModelConfig, { thinking }: RequestedModel): Fields {
  if (!config.supports_thinking) return {};
  if (!thinking) return config.when_thinking_disabled;
  if (config.provider !== 'anthropic') return config.when_thinking_enabled;
  const budget = { type: 'enabled', budget_tokens: anthropicThinkingTokens };
  // Anthropic refuses a temperature beside thinking, and counts thinking among the tokens of the answer.
  const maxTokens = Math.max(config.max_tokens ?? 0, 2 * anthropicThinkingTokens);
  return { thinking: budget, maxTokens, temperature: undefined, ...config.when_thinking_enabled };
}

function present(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
