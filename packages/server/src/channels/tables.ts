import type { Selectable } from 'kysely';

/** The tables of the channels. Migrations of the conversation area create them. */
export interface ChannelTables {
  channel_threads: ChannelThreadTable;
  channel_messages: ChannelMessageTable;
}

/** The threads of a chat: the current one, and those that it had before `/new`. */
export interface ChannelThreadTable {
  thread_id: string;
  channel: string;
  /** The topic within a chat follows the id of the chat after a colon. */
  chat_id: string;
  /** Two users of one chat have separate threads. */
  user_id: string;
  /** 1, or null for the others: a chat has one current thread for each user. */
  is_current: number | null;
  /** A JSON list of virtual paths, so that a file is not sent again with each answer. */
  artifacts_sent: string;
  /** JSON: the questions at which the last run stopped. */
  questions: string | null;
  /** The custom agent that is set up in the thread. */
  agent_setup: string | null;
  created_at: string;
}

/**
 * A message from a channel, kept until it is answered. After that its words are removed, and the row only identifies repetitions.
 */
export interface ChannelMessageTable {
  id: string;
  channel: string;
  /** The id that the channel gave the message. */
  message_id: string;
  chat_id: string;
  /** Orders the messages of a chat: first in, first out. */
  admission: number;
  sender: string;
  user_id: string;
  text: string;
  /** JSON. */
  files: string;
  status: 'accepted' | 'running' | 'answered' | 'done' | 'failed' | 'dropped';
  thread_id: string | null;
  /** Chosen before the run starts, so that the run is started only once. */
  run_id: string | null;
  /** The answer to a message that starts no run. */
  reply: string | null;
  /** JSON: the channel's ids of the parts of the answer that were sent. */
  sent: string;
  attempts: number;
  error: string | null;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
}

export type ChannelThreadRow = Selectable<ChannelThreadTable>;
export type ChannelMessageRow = Selectable<ChannelMessageTable>;
