import type { Selectable } from 'kysely';

/** The tables that channels own. The migrations of conversation make them. */
export interface ChannelTables {
  channel_threads: ChannelThreadTable;
  channel_messages: ChannelMessageTable;
}

/** The threads of a chat: one is current, the others it had before `/new`. */
export interface ChannelThreadTable {
  thread_id: string;
  channel: string;
  /** A topic within a chat stands behind its id, after a colon. */
  chat_id: string;
  /** Two users of one chat have a thread each. */
  user_id: string;
  /** 1, or null: there is one of each chat and user. */
  is_current: number | null;
  /** A JSON list of virtual paths, so that no file is sent with each answer again. */
  artifacts_sent: string;
  /** JSON: the questions at which the last run stopped. */
  questions: string | null;
  /** The custom agent that is set up in it. */
  agent_setup: string | null;
  created_at: string;
}

/** What came in over a channel, kept until it is answered; afterwards without its words, so that a repetition is known. */
export interface ChannelMessageTable {
  id: string;
  channel: string;
  /** As the channel names it. */
  message_id: string;
  chat_id: string;
  /** First in, first out within a chat. */
  admission: number;
  sender: string;
  user_id: string;
  text: string;
  /** JSON. */
  files: string;
  status: 'accepted' | 'running' | 'answered' | 'done' | 'failed' | 'dropped';
  thread_id: string | null;
  /** Chosen before the run is started, so that it is started once. */
  run_id: string | null;
  /** What is answered without a run. */
  reply: string | null;
  /** JSON: what of the answer has gone out, as the channel names it. */
  sent: string;
  attempts: number;
  error: string | null;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
}

export type ChannelThreadRow = Selectable<ChannelThreadTable>;
export type ChannelMessageRow = Selectable<ChannelMessageTable>;
