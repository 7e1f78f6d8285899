/** What an agent or a model says, in the order in which it says it. */
export type AnswerPart =
  | { type: 'text'; text: string }
  /** Thoughts of the model, and the tools that an agent uses here. */
  | { type: 'reasoning'; text: string }
  /** A piece of a call of one of the caller's own functions. */
  | { type: 'call'; index: number; id: string | null; name: string | null; args: string }
  /** The last part. */
  | { type: 'end'; reason: FinishReason; usage: AnswerUsage };

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface AnswerUsage {
  input: number;
  output: number;
  /** A part of the input that the provider has read before. */
  cached: number;
}

/** An answer that has begun. */
export interface StartedAnswer {
  /** The run, or the id of the call of a plain model. */
  id: string;
  /** Yields until the signal aborts; throws an AppError when the answer has failed. Called once. */
  parts: (signal: AbortSignal) => AsyncGenerator<AnswerPart, void, undefined>;
  /** Called when no one reads any more. An answer that is not complete is stopped, unless its thread stays. */
  close: (end: { isComplete: boolean }) => void;
}

/** The request in the terms that both interfaces share. */
export interface AnswerRequest {
  model: string;
  messages: ChatMessage[];
  /** Continues this thread of the caller with the last messages of the user; null for a new thread. */
  threadId: string | null;
  /** True when a new thread stays, so that another request can continue it. */
  isKept: boolean;
  tools: FunctionTool[];
  toolChoice: unknown;
  isParallel: boolean | null;
  /** JSON mode or a JSON schema, in the form of chat completions; null for text. */
  responseFormat: Record<string, unknown> | null;
  effort: string | null;
  sampling: Sampling;
  /** The names of the fields, for errors. */
  fields: { tools: string; responseFormat: string; thread: string };
}

export interface Sampling {
  temperature: number | null;
  topP: number | null;
  maxTokens: number | null;
  frequencyPenalty: number | null;
  presencePenalty: number | null;
  seed: number | null;
  stop: string[];
}

export interface FunctionTool {
  type: 'function';
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean };
}

/** In the form that LangChain reads. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | MessageBlock[];
  tool_calls?: { type: 'tool_call'; id: string; name: string; args: Record<string, unknown> }[];
  tool_call_id?: string;
}

export type MessageBlock =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string; detail?: string } };

export function textOf({ content }: Pick<ChatMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
