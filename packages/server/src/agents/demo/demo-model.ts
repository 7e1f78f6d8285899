import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import {
  AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { demoModelName } from './demo-model-name.ts';
import { nextReply } from './script.ts';
import type { ScriptedCall, ScriptedReply, Turn } from './turn.ts';

interface DemoCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/** Pause after each word, which is about as fast as people read. */
const defaultPaceMs = 15;

/**
 * Answers while no model is configured. It follows a script, streams word by word and calls real tools. Every reply says that it
 * is simulated. The same conversation gets the same reply, with the same ids of tool calls.
 */
export class DemoModel extends BaseChatModel<DemoCallOptions> {
  readonly #paceMs: number;

  constructor({ paceMs = defaultPaceMs }: { paceMs?: number } = {}) {
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
  const reply = nextReply(messages.map(turnOf), new Set(tools.map(nameOf)));
  const calls = reply.calls.map((call, index) => callChunk(call, { index, id: callId(messages, index) }));
  const words = reply.text.match(/\S+\s*/g) ?? [];
  return [...words.map((word) => generation(new AIMessageChunk(word))), ...calls, lastChunk(messages, reply)];
}

function callChunk({ name, args }: ScriptedCall, { index, id }: { index: number; id: string }) {
  const call = { name, args: JSON.stringify(args), id, index, type: 'tool_call_chunk' as const };
  return generation(new AIMessageChunk({ content: '', tool_call_chunks: [call] }));
}

/** Fields of the whole reply stand on its last chunk only, because merging chunks joins their texts. */
function lastChunk(messages: BaseMessage[], { text, calls }: ScriptedReply): ChatGenerationChunk {
  const input = messages.reduce((sum, message) => sum + tokensIn(message.text), 0);
  const output = tokensIn(text) + calls.reduce((sum, { args }) => sum + tokensIn(JSON.stringify(args)), 0);
  const fields: object = {
    content: '',
    usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: input + output },
    response_metadata: {
      model_name: demoModelName,
      model_provider: 'switchyard',
      finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      simulated: true,
    },
  };
  // AIMessageChunkFields has no place for usage_metadata, but the constructor takes it and serialisation needs it there.
  return generation(new AIMessageChunk(fields as AIMessageChunkFields));
}

function generation(message: AIMessageChunk): ChatGenerationChunk {
  return new ChatGenerationChunk({ text: message.text, message });
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

function turnOf(message: BaseMessage): Turn {
  const { text } = message;
  if (ToolMessage.isInstance(message)) {
    const tool = { name: message.name ?? '', failed: message.status === 'error' };
    return { from: 'tool', text, tool };
  }
  if (message.type === 'human') return { from: 'user', text };
  return { from: message.type === 'ai' ? 'assistant' : 'other', text };
}

function nameOf(tool: BindToolsInput): string {
  const { name, function: described } = tool as { name?: string; function?: { name?: string } };
  return name ?? described?.name ?? '';
}
