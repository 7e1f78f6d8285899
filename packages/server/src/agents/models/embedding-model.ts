import { isRecord } from '@switchyard/contract/is-record';
import type { ModelConfig } from '../../config/models.ts';
import { AppError } from '../../lib/app-error.ts';
import { boundedFetch, type Fetch } from '../../lib/bounded-fetch.ts';
import type { Embedder } from '../store/embedder.ts';
import { unitVector } from '../store/vector.ts';

export interface EmbeddingModel {
  /** The address of an interface like that of OpenAI, without `/embeddings`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  /** The size of its vectors; null when any size is right. */
  dims: number | null;
}

const addressOfOpenAi = 'https://api.openai.com/v1';
const maxWaitMs = 30_000;
const maxAnswerBytes = 16 * 1024 * 1024;

export interface EmbeddingSources {
  models: readonly ModelConfig[];
  /** The settings of OpenAI in the environment: a project of LangGraph has its key there, and no entry of `models`. */
  openAi: { apiKey: string | null; baseUrl: string | null };
}

/**
 * Finds the model that `embed` names: an entry of `models`, or an entry (or its provider) and another model that the same address
 * offers, as in `openai:text-embedding-3-small`. A model of OpenAI needs no entry when the environment has a key. Returns null when
 * nothing fits.
 */
export function embeddingModel(
  embed: string,
  { models, openAi, dims }: EmbeddingSources & { dims: number | null },
): EmbeddingModel | null {
  const own = models.find(({ name }) => name === embed);
  if (own) return modelOf(own, own.model, dims);
  const at = embed.indexOf(':');
  if (at <= 0 || at === embed.length - 1) return null;
  const [before, model] = [embed.slice(0, at), embed.slice(at + 1)];
  const entry =
    models.find(({ name }) => name === before) ?? models.find(({ provider }) => provider === before);
  if (entry) return modelOf(entry, model, dims);
  const { apiKey, baseUrl } = openAi;
  if (before !== 'openai' || apiKey === null) return null;
  return modelOf({ base_url: baseUrl, api_key: apiKey }, model, dims);
}

function modelOf(
  { base_url, api_key }: Pick<ModelConfig, 'base_url' | 'api_key'>,
  model: string,
  dims: number | null,
): EmbeddingModel {
  return { baseUrl: (base_url ?? addressOfOpenAi).replace(/\/$/, ''), apiKey: api_key, model, dims };
}

/** Asks a model over HTTP, in the way of OpenAI: `POST …/embeddings`. */
export function embedderOf({ baseUrl, apiKey, model, dims }: EmbeddingModel, fetch: Fetch): Embedder {
  const bounded = boundedFetch(fetch, { maxBytes: maxAnswerBytes });
  const ask = async (texts: readonly string[]): Promise<unknown> => {
    const response = await bounded(`${baseUrl}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      redirect: 'error',
      signal: AbortSignal.timeout(maxWaitMs),
    });
    if (!response.ok) throw new Error(`The model ${model} answered ${response.status}.`);
    return response.json();
  };
  return {
    model: `${baseUrl} ${model}`,
    embed: async (texts) => {
      try {
        return vectorsIn(await ask(texts), { count: texts.length, dims });
      } catch (cause) {
        throw new AppError('model_unavailable', {
          message: `The embedding model ${model} cannot be used: ${(cause as Error).message}`,
          cause,
        });
      }
    },
  };
}

function vectorsIn(answer: unknown, { count, dims }: { count: number; dims: number | null }): Float32Array[] {
  const data = isRecord(answer) && Array.isArray(answer.data) ? answer.data : [];
  if (data.length !== count) throw new Error(`It answered ${data.length} vectors for ${count} texts.`);
  return data.map((entry: unknown) => {
    const numbers = isRecord(entry) ? entry.embedding : undefined;
    if (!isVector(numbers)) throw new Error('It answered something that is not a vector.');
    if (dims !== null && numbers.length !== dims) {
      throw new Error(
        `Its vectors have ${numbers.length} numbers; store.index.dims of langgraph.json says ${dims}.`,
      );
    }
    return unitVector(numbers);
  });
}

/** Larger than the vectors of all known models. */
const maxNumbers = 8_192;

function isVector(value: unknown): value is number[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxNumbers) return false;
  return value.every((number) => typeof number === 'number' && Number.isFinite(number));
}
