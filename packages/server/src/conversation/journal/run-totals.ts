import { type MessageContent, messageText } from '../../agents/message-text.ts';
import type { NewRunEvent, ReportedUsage } from '../../agents/run-contract/run-record.ts';
import { wellFormed } from '../../lib/storable-text.ts';
import type { totalColumns } from '../run-columns.ts';
import type { RunRow } from '../tables.ts';

/** The columns that the end of a run writes into its row: counts, texts and tokens. Names are those of the table. */
export type RunTotals = Pick<RunRow, (typeof totalColumns)[number]>;

export interface ModelUsage {
  tokens: number;
  input_tokens: number;
  output_tokens: number;
  /** A part of the input tokens; absent when no call reports any. */
  cache_read_tokens?: number;
  calls: number;
}

/** The caller of a model: `lead_agent`, `subagent:<name>`, `middleware:<tag>`, `unknown`. */
export type CallerKind = 'lead_agent' | 'subagent' | 'middleware' | 'unknown';

/** Totals while they grow. They depend on stored events only, so a resumed run starts with the same totals. */
export interface Tally {
  messages: number;
  firstHumanMessage: string | null;
  lastAiMessage: string | null;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  tokens: number;
  byCaller: Record<CallerKind, number>;
  byModel: Map<string, ModelUsage>;
  /** The tokens that the last call of the lead agent has read and written; null while none has reported them. */
  contextTokens: number | null;
  modelName: string | null;
  /** The number of the last model call; calls are numbered from one. */
  lastCallIndex: number;
  /** The number of the last step of each sub-agent, by the tool call that started it. */
  lastSteps: Map<string, number>;
}

const maxTextLength = 2_000;
const messageTypes = new Set(['human_message', 'ai_message', 'ai_tool_call', 'tool_result']);

export function emptyTally(): Tally {
  return {
    messages: 0,
    firstHumanMessage: null,
    lastAiMessage: null,
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
    tokens: 0,
    byCaller: { lead_agent: 0, subagent: 0, middleware: 0, unknown: 0 },
    byModel: new Map(),
    contextTokens: null,
    modelName: null,
    lastCallIndex: 0,
    lastSteps: new Map(),
  };
}

/** Each model call counts once, by its response; each message counts once, by its own event. */
export function count(
  tally: Tally,
  event: Pick<NewRunEvent, 'event_type' | 'content' | 'metadata'>,
  { trackTokens }: { trackTokens: boolean },
): void {
  const { event_type: type, content, metadata = {} } = event;
  if (messageTypes.has(type)) tally.messages += 1;
  if (type === 'human_message') tally.firstHumanMessage ??= excerpt(content);
  if (type === 'ai_message') tally.lastAiMessage = excerpt(content) ?? tally.lastAiMessage;
  if (type === 'llm_request') tally.lastCallIndex = Math.max(tally.lastCallIndex, callIndexOf(metadata));
  if (type === 'llm_response') countCall(tally, metadata, trackTokens);
  if (type === 'subagent.step') countStep(tally, metadata);
}

export function totalsOf(tally: Tally): RunTotals {
  return {
    message_count: tally.messages,
    first_human_message: tally.firstHumanMessage,
    last_ai_message: tally.lastAiMessage,
    llm_call_count: tally.calls,
    context_tokens: tally.contextTokens,
    total_input_tokens: tally.inputTokens,
    total_output_tokens: tally.outputTokens,
    total_tokens: tally.tokens,
    lead_agent_tokens: tally.byCaller.lead_agent,
    subagent_tokens: tally.byCaller.subagent,
    middleware_tokens: tally.byCaller.middleware,
    unknown_tokens: tally.byCaller.unknown,
    token_usage_by_model: JSON.stringify(Object.fromEntries(tally.byModel)),
    model_name: tally.modelName,
  };
}

function countCall(tally: Tally, metadata: Record<string, unknown>, trackTokens: boolean): void {
  const caller = callerKind(metadata.caller);
  const model = typeof metadata.model_name === 'string' ? metadata.model_name : null;
  // The lead agent's model stands for the run; another model only when the lead agent calls none.
  if (model !== null && (caller === 'lead_agent' || tally.modelName === null)) tally.modelName = model;
  const usage = (metadata.usage ?? {}) as ReportedUsage;
  const { input_tokens: input = 0, output_tokens: output = 0 } = usage;
  const tokens = usage.total_tokens || input + output;
  if (!trackTokens || tokens === 0) return;
  if (caller === 'lead_agent') tally.contextTokens = tokens;
  tally.calls += 1;
  tally.inputTokens += input;
  tally.outputTokens += output;
  tally.tokens += tokens;
  tally.byCaller[caller] += tokens;
  addCall(tally.byModel, model, usage);
}

/** Adds one call to the usage by model. A call that reports no tokens adds nothing. */
export function addCall(
  byModel: Map<string, ModelUsage>,
  model: string | null,
  { input_tokens: input = 0, output_tokens: output = 0, ...usage }: ReportedUsage,
): void {
  const tokens = usage.total_tokens || input + output;
  if (tokens === 0) return;
  const ofModel = byModel.get(model ?? 'unknown') ?? newModelUsage();
  ofModel.tokens += tokens;
  ofModel.input_tokens += input;
  ofModel.output_tokens += output;
  const cacheRead = usage.input_token_details?.cache_read ?? 0;
  if (cacheRead > 0) ofModel.cache_read_tokens = (ofModel.cache_read_tokens ?? 0) + cacheRead;
  ofModel.calls += 1;
  byModel.set(model ?? 'unknown', ofModel);
}

function countStep(
  { lastSteps }: Tally,
  { task_id: task, message_index: index }: Record<string, unknown>,
): void {
  if (typeof task !== 'string' || typeof index !== 'number') return;
  lastSteps.set(task, Math.max(index, lastSteps.get(task) ?? 0));
}

function callerKind(caller: unknown): CallerKind {
  if (typeof caller !== 'string') return 'unknown';
  if (caller === 'lead_agent') return 'lead_agent';
  if (caller.startsWith('subagent:')) return 'subagent';
  if (caller.startsWith('middleware:')) return 'middleware';
  return 'unknown';
}

function newModelUsage(): ModelUsage {
  return { tokens: 0, input_tokens: 0, output_tokens: 0, calls: 0 };
}

function callIndexOf(metadata: Record<string, unknown>): number {
  return typeof metadata.llm_call_index === 'number' ? metadata.llm_call_index : 0;
}

/** Null when a message holds no text, for example only a picture. */
function excerpt(content: unknown): string | null {
  const text = messageText((content as { content?: MessageContent } | null)?.content);
  return text === '' ? null : wellFormed(text.slice(0, maxTextLength));
}
