import { createHash } from 'node:crypto';
import type { Jobs, NewJob } from '../platform/jobs/jobs.ts';

/** Work for messages that happens outside of the request or the poll that brought them. Jobs outlive the process. */
export const intakeKind = 'channels.intake';
export const replyKind = 'channels.reply';
export const sweepKind = 'channels.sweep';

export type ChannelJobs = Pick<Jobs, 'register' | 'enqueue' | 'wake' | 'add'>;

/** Handles the waiting messages of a chat. */
export function intakeJob(channel: string, chatId: string): NewJob {
  return { kind: intakeKind, key: chatKey(channel, chatId), payload: { channel, chatId } };
}

/** Sends the answer to a message. */
export function replyJob({ id, run_id: runId }: { id: string; run_id: string | null }): NewJob {
  return runId === null ? { kind: replyKind, key: id, payload: { messageId: id } } : runReplyJob(runId);
}

/** Sends the answer when only the run is known. */
export function runReplyJob(runId: string): NewJob {
  return { kind: replyKind, key: runId, payload: { runId } };
}

export function chatKey(channel: string, chatId: string): string {
  const chat = createHash('sha256').update(chatId).digest('base64url').slice(0, 22);
  return `channel:${channel}:${chat}`;
}
