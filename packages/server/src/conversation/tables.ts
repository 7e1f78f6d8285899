import type { Generated, Selectable } from 'kysely';

/** The tables that conversation owns. Column names are the wire's names; JSON is text, times are ISO text, booleans 0 or 1. */
export interface ConversationTables {
  threads: ThreadTable;
  thread_metadata: ThreadMetadataTable;
  thread_snapshots: ThreadSnapshotTable;
  thread_sequences: ThreadSequenceTable;
  deleted_threads: DeletedThreadTable;
  thread_ttls: ThreadTtlTable;
  thread_goals: ThreadGoalTable;
  runs: RunTable;
  run_inputs: RunInputTable;
  run_usage: RunUsageTable;
  run_events: RunEventTable;
  run_spans: RunSpanTable;
  feedback: FeedbackTable;
  assistants: AssistantTable;
  assistant_versions: AssistantVersionTable;
  schedules: ScheduleTable;
  schedule_runs: ScheduleRunTable;
  memory_turns: MemoryTurnTable;
  memory_changes: MemoryChangeTable;
  mcp_tasks: McpTaskTable;
}

export interface ThreadTable {
  thread_id: string;
  /** Null marks a shared record. */
  user_id: string | null;
  /** The assistant of the newest run. Before the first run it is the one that the thread was made for. */
  assistant_id: string | null;
  display_name: string | null;
  status: 'idle' | 'busy' | 'interrupted' | 'error';
  metadata: string;
  created_at: string;
  updated_at: string;
  /** The time of the last change of the stored state. */
  state_updated_at: string;
  /** The end of the thread's last run; null before the first end. */
  run_ended_at: string | null;
  /** 1 while a run has ended since the owner last read the thread. */
  unread: number;
  /** 1 when the user has given the display name; then no state changes it. */
  title_by_hand: Generated<number>;
  /** `1` for a pinned thread; text, like the other columns that lists are ordered by. */
  pinned: Generated<string>;
}

/** Metadata that search can filter by: one row for each top-level key whose value is a string, number, boolean or null. */
export interface ThreadMetadataTable {
  thread_id: string;
  user_id: string | null;
  key: string;
  /** The value as JSON text, so that `1`, `"1"`, `true` and `null` stay different. */
  value: string;
  /** The same as the thread's, so that a filtered page is read from the index in order. */
  updated_at: string;
}

/** The part of the latest state that a list shows; written at the end of each run and by state updates. */
export interface ThreadSnapshotTable {
  thread_id: string;
  user_id: string | null;
  checkpoint_id: string | null;
  values: string;
  next: string;
  interrupts: string;
  error: string | null;
  updated_at: string;
}

/** The counters of a thread, with or without a record. They only ever ascend. */
export interface ThreadSequenceTable {
  thread_id: string;
  event_seq: number;
  run_admission: number;
}

/** The goal towards which the agent of a thread works by itself, until it is reached or cleared. */
export interface McpTaskTable {
  /** Names the call of the tool, however often it is made again. */
  call_key: string;
  thread_id: string;
  /** The run that made the call last. */
  run_id: string;
  /** The name of the MCP server. */
  server: string;
  task_id: string;
  /** The number of its questions that a human has answered. */
  answers: number;
  created_at: string;
}

export interface ThreadGoalTable {
  thread_id: string;
  objective: string;
  /** The number of times that the agent has gone on by itself. */
  continuation_count: number;
  max_continuations: number;
  /** Continuations in a row that came no nearer to the goal. */
  no_progress_count: number;
  /** JSON; null before the first evaluation. */
  last_evaluation: string | null;
  created_at: string;
  updated_at: string;
}

/** A thread's time to live. It counts from the last change of the thread. */
export interface ThreadTtlTable {
  thread_id: string;
  /** The thing that is deleted then: the thread, or all but its latest state. */
  strategy: 'delete' | 'keep_latest';
  ttl_seconds: number;
  /** The time at which the sweep looks at the thread next. A change of the thread does not move it; the sweep does. */
  look_at: string;
}

/** Threads that are deleted. Their ids answer 404 for ever. */
export interface DeletedThreadTable {
  thread_id: string;
  user_id: string | null;
  deleted_at: string;
  /** 1 until its files are removed as well. That happens after the commit and is tried again at the next start. */
  files_left: number;
}

export interface RunTable {
  run_id: string;
  thread_id: string;
  user_id: string;
  /** The name that the caller gave: of a graph, an assistant, an agent. */
  assistant_id: string;
  graph_id: string;
  status: 'pending' | 'running' | 'success' | 'error' | 'timeout' | 'interrupted';
  /** Runs of a thread are worked on in this order. */
  admission: number;
  multitask_strategy: 'reject' | 'enqueue' | 'interrupt' | 'rollback';
  metadata: string;
  /** The run starts no earlier than this (`after_seconds`). */
  run_at: string | null;
  cancel_action: 'interrupt' | 'rollback' | null;
  cancel_requested_at: string | null;
  /** Raised by each claim: 1 while a run has never been recovered. */
  attempt: number;
  /**
   * The process that owns the run, by the name of its lease. Every write checks it together with the attempt. Null: any process
   * may claim the run.
   */
  worker_id: string | null;
  /**
   * The thread is deleted with the run, like those of stateless runs. 1: when the run ends; 2: once its webhook has been called.
   */
  delete_thread: number;
  webhook: string | null;
  /** The state at the end of the run. */
  checkpoint_id: string | null;
  follow_up_to_run_id: string | null;
  model_name: string | null;
  error: string | null;
  error_name: string | null;
  stop_reason: string | null;
  message_count: number;
  first_human_message: string | null;
  last_ai_message: string | null;
  llm_call_count: number;
  /** The size of the last call of the lead agent, its answer included; null when none has reported it. */
  context_tokens: number | null;
  total_input_tokens: number;
  total_output_tokens: number;
  total_tokens: number;
  lead_agent_tokens: number;
  subagent_tokens: number;
  middleware_tokens: number;
  unknown_tokens: number;
  /** `{ model: { tokens, input_tokens, output_tokens, calls } }`. */
  token_usage_by_model: string;
  created_at: string;
  updated_at: string;
  started_at: string | null;
  ended_at: string | null;
}

/** Separate from `runs`, so that lists never read a page that holds messages. */
export interface RunInputTable {
  run_id: string;
  /** The checked create request: what an executor needs to start the run, or to start it again. */
  kwargs: string;
}

/**
 * The usage of finished runs: a row for each model, and one without a model for a run that called none. Rows stay when
 * the run or its thread is deleted: they hold numbers and no messages.
 */
export interface RunUsageTable {
  run_id: string;
  /** The name of the model that was used; empty for a run that called none. */
  model: string;
  user_id: string;
  /** Milliseconds since 1970, so that both databases find the day in any time zone by a division. */
  ended_ms: number;
  /** 1 in exactly one row of each run, so that a sum counts the runs. */
  first_of_run: number;
  calls: number;
  tokens: number;
  input_tokens: number;
  output_tokens: number;
  /** A part of the input tokens. */
  cache_read_tokens: number;
  /** As the request of the run named it; empty for runs that were deleted before this column existed. */
  agent: Generated<string>;
}

export interface RunEventTable {
  thread_id: string;
  seq: number;
  run_id: string;
  user_id: string | null;
  event_type: string;
  category: string;
  content: string;
  metadata: string;
  /**
   * The place in the graph where the event was made; after a crash it shows whether the checkpoint covers it. Null: the event
   * stays in any case.
   */
  origin: string | null;
  created_at: string;
}

/**
 * The timeline of a run: its model calls, tool calls and sub-agents. A row is written when one begins and again when it ends, and
 * stays when a run that continues repeats the work.
 */
export interface RunSpanTable {
  thread_id: string;
  run_id: string;
  started_at: string;
  /** Ascends with the order in which the spans of one millisecond began. */
  span_id: string;
  /** The span around it; null directly below the run. */
  parent_id: string | null;
  attempt: number;
  kind: 'model' | 'tool' | 'subagent';
  /** The model, the tool or the kind of sub-agent. */
  name: string | null;
  /** Null while it runs. */
  ended_at: string | null;
  state: 'running' | 'success' | 'error' | 'interrupted';
  tool_call_id: string | null;
  /** The task of the pool that a tool call waits for. */
  task_id: string | null;
  /** Tokens by model, as in `token_usage_by_model`; null until the first call has ended. */
  usage: string | null;
  /** Raised by each write to a span of the run, so that a reader finds what has changed. */
  revision: number;
}

export interface FeedbackTable {
  feedback_id: string;
  thread_id: string;
  run_id: string;
  user_id: string;
  message_id: string | null;
  rating: number;
  comment: string | null;
  created_at: string;
}

export interface AssistantTable {
  assistant_id: string;
  user_id: string;
  graph_id: string;
  name: string;
  description: string | null;
  config: string;
  context: string;
  metadata: string;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface AssistantVersionTable {
  assistant_id: string;
  version: number;
  user_id: string;
  graph_id: string;
  name: string;
  description: string | null;
  config: string;
  context: string;
  metadata: string;
  created_at: string;
}

/** The messages of a turn, until they have been searched for facts. */
export interface MemoryTurnTable {
  thread_id: string;
  user_id: string;
  /** The custom agent whose memory it is; empty for the lead agent. */
  agent: string;
  run_id: string;
  turn: string;
  created_at: string;
}

/** A change of a memory by a conversation, until it is in the file. */
export interface MemoryChangeTable {
  thread_id: string;
  user_id: string;
  agent: string;
  change: string;
  created_at: string;
}

/** A run that begins by itself, once or again and again: a scheduled task, or a cron of LangGraph clients. */
export interface ScheduleTable {
  schedule_id: string;
  user_id: string;
  /** The thread of all its runs; null when each run has a thread of its own. */
  thread_id: string | null;
  assistant_id: string;
  title: string;
  prompt: string;
  /** The request of each run, as JSON. */
  request: string;
  /** The owner as the operator's own authentication described them, as JSON; null for every other owner. */
  auth_user: string | null;
  metadata: string;
  /** One of the two is set. */
  cron: string | null;
  run_at: string | null;
  timezone: string;
  end_time: string | null;
  on_run_completed: 'delete' | 'keep';
  status: 'enabled' | 'paused' | 'running' | 'completed' | 'failed' | 'cancelled';
  /** The moment for which a job waits; null when none will come. */
  next_run_at: string | null;
  last_run_at: string | null;
  last_run_id: string | null;
  last_thread_id: string | null;
  last_error: string | null;
  run_count: number;
  created_at: string;
  updated_at: string;
}

/** One moment of a schedule, and what became of it. */
export interface ScheduleRunTable {
  /** Ids ascend with time. */
  id: string;
  schedule_id: string;
  user_id: string;
  thread_id: string | null;
  /** Decided before the run exists, so that it is not started twice. */
  run_id: string | null;
  scheduled_for: string;
  trigger: 'scheduled' | 'manual';
  status: 'queued' | 'running' | 'success' | 'failed' | 'skipped' | 'interrupted';
  error: string | null;
  started_at: string | null;
  finished_at: string | null;
  created_at: string;
}

export type ScheduleRow = Selectable<ScheduleTable>;
export type ScheduleRunRow = Selectable<ScheduleRunTable>;
export type ThreadRow = Selectable<ThreadTable>;
export type ThreadSnapshotRow = Selectable<ThreadSnapshotTable>;
export type RunUsageRow = Selectable<RunUsageTable>;
export type RunRow = Selectable<RunTable>;
export type RunSpanRow = Selectable<RunSpanTable>;
export type RunEventRow = Selectable<RunEventTable>;
export type FeedbackRow = Selectable<FeedbackTable>;
export type AssistantRow = Selectable<AssistantTable>;
export type AssistantVersionRow = Selectable<AssistantVersionTable>;
export type ThreadGoalRow = Selectable<ThreadGoalTable>;
export type McpTaskRow = Selectable<McpTaskTable>;
