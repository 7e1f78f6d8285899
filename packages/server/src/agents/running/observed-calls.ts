import type { LLMResult } from '@langchain/core/outputs';
import type { Json } from '../../lib/json.ts';
import { modelNameKey } from '../models/model-name-key.ts';
import type { NewRunEvent, ReportedUsage } from '../run-contract/run-record.ts';
import { wireValue } from '../state/wire-values.ts';
import { completionMessage, isObject, type Message, recordOf } from './observed-messages.ts';

/** A model call that has begun. */
export interface ObservedCall {
  index: number;
  caller: string;
  /** The configured name of the model; the answer may name it more precisely. */
  model: string | null;
  startedMs: number;
  metadata: Record<string, unknown> | undefined;
}

type EventParts = Pick<NewRunEvent, 'event_type' | 'category' | 'content' | 'metadata'>;

export function requestEvent(call: ObservedCall, messages: readonly Message[]): EventParts {
  return {
    event_type: 'llm_request',
    category: 'trace',
    content: {
      model: call.model,
      messages: messages.map((message) => completionMessage(recordOf(message))),
    },
    metadata: { caller: call.caller, llm_call_index: call.index },
  };
}

/** Returns the model's answer, or undefined when it is not a chat model. */
export function answerIn(output: LLMResult): Message | undefined {
  const generation = output.generations[0]?.[0] as { message?: Message } | undefined;
  return generation?.message;
}

interface ResponseEvent extends EventParts {
  metadata: { usage: (ReportedUsage & object) | null; model_name?: string; [fact: string]: unknown };
}

export function responseEvent(call: ObservedCall, output: LLMResult, endedMs: number): ResponseEvent {
  const answer = answerIn(output);
  const record = answer && recordOf(answer);
  const model = modelOf(call, record);
  const usage = usageOf(output, record);
  return {
    event_type: 'llm_response',
    category: 'trace',
    content: {
      id: record?.id ?? null,
      model,
      choices: [
        {
          index: 0,
          message: record
            ? completionMessage(record)
            : { role: 'assistant', content: output.generations[0]?.[0]?.text ?? '' },
          finish_reason: hasToolCalls(record) ? 'tool_calls' : (reportedReason(record) ?? 'stop'),
        },
      ],
      usage: usage && {
        prompt_tokens: usage.input_tokens ?? 0,
        completion_tokens: usage.output_tokens ?? 0,
        total_tokens: usage.total_tokens ?? (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0),
      },
    },
    metadata: {
      caller: call.caller,
      usage,
      latency_ms: Math.round(endedMs - call.startedMs),
      llm_call_index: call.index,
      ...(model !== null && { model_name: model }),
    },
  };
}

/** Returns the event for the message that a reply of the lead agent adds to the conversation. */
export function answerEvent(
  message: Message,
  call: Pick<ObservedCall, 'caller' | 'model' | 'metadata'>,
): EventParts {
  const record = recordOf(message);
  const callsTools = hasToolCalls(record);
  const name = modelOf(call, record);
  return {
    event_type: callsTools ? 'ai_tool_call' : 'ai_message',
    category: 'message',
    content: record,
    metadata: {
      ...(name !== null && { model_name: name }),
      finish_reason: callsTools ? 'tool_calls' : isCutOff(record) ? 'stopped' : 'stop',
      caller: call.caller,
    },
  };
}

/** A configured model keeps its configured name here, whatever name its provider reports. */
function modelOf(
  { model, metadata }: Pick<ObservedCall, 'model' | 'metadata'>,
  record: Record<string, Json> | undefined,
): string | null {
  return metadata?.[modelNameKey] === undefined ? (reportedModel(record) ?? model) : model;
}

function reportedModel(record: Record<string, Json> | undefined): string | null {
  const metadata = record?.response_metadata;
  const name = isObject(metadata) ? (metadata.model_name ?? metadata.model) : null;
  return typeof name === 'string' ? name : null;
}

function reportedReason(record: Record<string, Json> | undefined): string | undefined {
  const metadata = record?.response_metadata;
  const reason = isObject(metadata) ? metadata.finish_reason : undefined;
  return typeof reason === 'string' ? reason : undefined;
}

/** Most models report the usage in the message; some report it only beside the message. */
function usageOf(
  output: LLMResult,
  record: Record<string, Json> | undefined,
): (ReportedUsage & object) | null {
  if (isObject(record?.usage_metadata)) return record.usage_metadata as ReportedUsage;
  const { tokenUsage } = (output.llmOutput ?? {}) as { tokenUsage?: Record<string, number> };
  if (!tokenUsage) return null;
  const {
    promptTokens = 0,
    completionTokens = 0,
    totalTokens = promptTokens + completionTokens,
  } = tokenUsage;
  return { input_tokens: promptTokens, output_tokens: completionTokens, total_tokens: totalTokens };
}

function isCutOff(record: Record<string, Json>): boolean {
  return isObject(record.additional_kwargs) && record.additional_kwargs.stopped === true;
}

function hasToolCalls(record: Record<string, Json> | undefined): boolean {
  return Array.isArray(record?.tool_calls) && record.tool_calls.length > 0;
}

/** Returns the name under which a model is configured, if its metadata has it. */
export function configuredModel(
  metadata: Record<string, unknown> | undefined,
  extra: Record<string, unknown> | undefined,
): string | null {
  const parameters = extra?.invocation_params;
  const name =
    metadata?.[modelNameKey] ??
    metadata?.ls_model_name ??
    (isObject(parameters) ? parameters.model : undefined);
  return typeof name === 'string' ? name : null;
}

/** The record contains the message of an error, not its type or stack. */
export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : JSON.stringify(wireValue(error));
}
