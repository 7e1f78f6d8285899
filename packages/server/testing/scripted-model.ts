import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type AIMessageFields,
  type BaseMessage,
} from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';

export interface ScriptedTurn {
  text?: string;
  calls?: { name: string; args: Record<string, unknown>; id: string }[];
  usage?: [input: number, output: number];
  fails?: string;
  /** If it is absent, LangChain gives each answer its own id. */
  messageId?: string;
}

/** A model for tests. Its answer depends only on the conversation, so that a repeated turn is the same. */
export class ScriptedModel extends BaseChatModel {
  readonly #name: string;
  readonly #answer: (messages: BaseMessage[]) => ScriptedTurn;
  calls = 0;

  constructor(name: string, answer: (messages: BaseMessage[]) => ScriptedTurn) {
    super({});
    this.#name = name;
    this.#answer = answer;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override getLsParams() {
    return { ls_model_type: 'chat' as const, ls_provider: 'test', ls_model_name: `configured-${this.#name}` };
  }

  override bindTools() {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { text = '', calls = [], usage, messageId } = this.#turn(messages);
    const fields: object = {
      ...(messageId !== undefined && { id: messageId }),
      content: text,
      tool_calls: calls.map((call) => ({ ...call, type: 'tool_call' as const })),
      response_metadata: { model_name: this.#name },
      ...(usage && { usage_metadata: usageOf(usage) }),
    };
    const message = new AIMessage(fields as AIMessageFields);
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text = '', calls = [], usage, messageId } = this.#turn(messages);
    const named = messageId === undefined ? {} : { id: messageId };
    const pieces = [...text].map((content) => new AIMessageChunk({ ...named, content }));
    const fields: object = {
      ...named,
      content: '',
      tool_call_chunks: calls.map(({ name, args, id }, index) => ({
        name,
        args: JSON.stringify(args),
        id,
        index,
        type: 'tool_call_chunk' as const,
      })),
      response_metadata: { model_name: this.#name },
      ...(usage && { usage_metadata: usageOf(usage) }),
    };
    const last = new AIMessageChunk(fields as AIMessageChunkFields);
    for (const message of [...pieces, last]) {
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  #turn(messages: BaseMessage[]): ScriptedTurn {
    this.calls += 1;
    const turn = this.#answer(messages);
    if (turn.fails !== undefined) throw new Error(turn.fails);
    return turn;
  }
}

function usageOf([input, output]: [number, number]) {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}
