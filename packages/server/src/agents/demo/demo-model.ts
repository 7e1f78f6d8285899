import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, type AIMessageChunkFields, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { demoModelName } from './demo-model-name.ts';
import { nextReply } from './script.ts';

type DemoCallOptions = BaseChatModelCallOptions & { tools?: BindToolsInput[] };

/**
 * Answers while no model is configured. It follows a script, streams word by word and calls real tools. Every reply says that it
 * is simulated. The same conversation gets the same reply, with the same ids of tool calls.
 */
export class DemoModel extends BaseChatModel<DemoCallOptions> {
  readonly #paceMs: number;

  /** The pause after each word is about as long as people read it. */
  constructor({ paceMs = 15 }: { paceMs?: number } = {}) {
    super({});
    this.#paceMs = paceMs;
  }

  override _llmType(): string {
    return demoModelName;
  }

  override getLsParams() {
    return { ls_model_type: 'chat' as const, ls_provider: 'switchyard', ls_model_name: demoModelName };
  }

  override invocationParams() {
    return { model: demoModelName };
  }

  override bindTools(tools: BindToolsInput[]) {
    return this.withConfig({ tools });
  }

  override async _generate(messages: BaseMessage[], options: DemoCallOptions): Promise<ChatResult> {
    const [first, ...others] = chunksOf(messages, options);
    return { generations: first ? [others.reduce((whole, chunk) => whole.concat(chunk), first)] : [] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: DemoCallOptions,
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (const chunk of chunksOf(messages, options)) {
      if (this.#paceMs > 0) await delay(this.#paceMs, undefined, { signal: options.signal });
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function chunksOf(messages: BaseMessage[], { tools = [] }: DemoCallOptions): ChatGenerationChunk[] {
  const { text, calls } = nextReply(
    messages,
    new Set(tools.map((tool) => String('name' in tool && tool.name))),
  );
  const type = 'tool_call_chunk' as const;
  const made = calls.map(({ name, args }, index) => {
    return { name, args: JSON.stringify(args), id: callId(messages, index), index, type };
  });
  const input = tokensIn(messages.map((message) => message.text).join(''));
  const output = tokensIn(text + made.map(({ args }) => args).join(''));
  // These stand on the last chunk only, because merging joins texts. The type of the fields leaves out usage_metadata.
  const last: object = {
    content: '',
    tool_call_chunks: made,
    usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: input + output },
    response_metadata: {
      model_name: demoModelName,
      model_provider: 'switchyard',
      finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      simulated: true,
    },
  };
  return [...(text.match(/\S+\s*/g) ?? []), last as AIMessageChunkFields].map((fields) => {
    const message = new AIMessageChunk(fields);
    return new ChatGenerationChunk({ text: message.text, message });
  });
}

/** The usual estimate, because the demo model has no tokens. */
function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The id follows from the conversation, so a turn that is repeated after a crash makes the same call again. */
function callId(messages: BaseMessage[], index: number): string {
  const hash = createHash('sha256');
  for (const message of messages) hash.update(`${message.type}\n${message.text}\n`);
  return `call_${hash.update(String(index)).digest('hex').slice(0, 24)}`;
}
