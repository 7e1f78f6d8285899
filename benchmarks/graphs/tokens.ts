import { setTimeout as sleep } from 'node:timers/promises';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel, type BaseChatModelCallOptions } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { type LangGraphRunnableConfig, MessagesAnnotation, StateGraph } from '@langchain/langgraph';

const usualTokens = 200;
/** Longer than a measure. */
const holdMs = 600_000;

/** Sends `t0 t1 t2 …`, so that a reader sees which one is missing. A late token does not delay the next ones. */
class CountingModel extends BaseChatModel {
  readonly #paceMs: number;
  readonly #tokens: number;

  constructor({ paceMs, tokens = usualTokens }: { paceMs: number; tokens?: number }) {
    super({});
    this.#paceMs = paceMs;
    this.#tokens = tokens;
  }

  override _llmType(): string {
    return 'counting';
  }

  override async _generate(): Promise<ChatResult> {
    const text = Array.from({ length: this.#tokens }, (_, index) => `t${index} `).join('');
    return { generations: [{ text, message: new AIMessage(text) }] };
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: BaseChatModelCallOptions,
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const started = performance.now();
    for (let index = 0; index < this.#tokens; index += 1) {
      const wait = started + (index + 1) * this.#paceMs - performance.now();
      if (wait > 0) await sleep(wait);
      const text = `t${index} `;
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function speaking(model: CountingModel) {
  return new StateGraph(MessagesAnnotation)
    .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addEdge('__start__', 'answer')
    .compile();
}

/** Sends as fast as it can. */
export const fast = speaking(new CountingModel({ paceMs: 0 }));
/** The same for a short answer. */
export const brief = speaking(new CountingModel({ paceMs: 0, tokens: 20 }));
/** Sends like a model: a token every 10 ms. */
export const paced = speaking(new CountingModel({ paceMs: 10 }));
/** Sends its tokens as fast as it can, and then works on until it is stopped. */
export const held = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({
    messages: [await new CountingModel({ paceMs: 0 }).invoke(messages)],
  }))
  .addNode('hold', async (_state, { signal }: LangGraphRunnableConfig) => {
    await sleep(holdMs, undefined, { ...(signal && { signal }) });
    return {};
  })
  .addEdge('__start__', 'answer')
  .addEdge('answer', 'hold')
  .compile();
/** Takes ten seconds, so that a run is at work for as long as a measure needs. */
export const slow = speaking(new CountingModel({ paceMs: 50 }));
