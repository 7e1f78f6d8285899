import { type Static, Type } from 'typebox';
import { nullable, oneOf } from '../shapes.ts';

export const channelName = Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,31}$' });

export const channelStatus = Type.Object({
  type: oneOf(['telegram', 'http']),
  enabled: Type.Boolean(),
  running: Type.Boolean({ description: 'This gateway takes messages from it, or waits for its turn to.' }),
  error: nullable(
    Type.String({ description: 'Why it gets no messages at the moment, or cannot send its answers.' }),
  ),
  waiting: Type.Integer({ description: 'Messages that are not answered yet.' }),
});

export const channelList = Type.Object({
  service_running: Type.Boolean(),
  channels: Type.Record(channelName, channelStatus),
});
export type ChannelList = Static<typeof channelList>;

const senderId = (description: string) => Type.String({ pattern: '^\\S{1,256}$', description });

const sentFile = Type.Object({
  type: oneOf(['image', 'file']),
  filename: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 255 }))),
  url: Type.Optional(
    nullable(
      Type.String({ maxLength: 2_000, description: 'Fetched by the gateway; public addresses only.' }),
    ),
  ),
  content: Type.Optional(
    nullable(Type.String({ maxLength: 1_400_000, description: 'Base64, in place of `url`.' })),
  ),
});

/** A message that an HTTP channel sends to the gateway. */
export const channelMessage = Type.Object({
  chat_id: senderId('Messages of one chat share a thread.'),
  user_id: senderId('Who says it, as the channel knows them.'),
  topic_id: Type.Optional(nullable(senderId('A thread of its own within the chat.'))),
  text: Type.Optional(Type.String({ maxLength: 32_000, default: '' })),
  files: Type.Optional(Type.Array(sentFile, { maxItems: 10, default: [] })),
});
export type ChannelMessage = Static<typeof channelMessage>;

export const messageReceipt = Type.Object({
  accepted: Type.Boolean(),
  duplicate: Type.Boolean({ description: 'It came before under this `webhook-id`; nothing is done again.' }),
});

/**
 * The message that the gateway sends to an HTTP channel, signed in the same way as the channel's messages. Each attempt
 * has the same `webhook-id`.
 */
export interface ChannelReply {
  type: 'message.reply';
  timestamp: string;
  data: {
    channel: string;
    chat_id: string;
    topic_id: string | null;
    /** The `webhook-id` of the message that this answers. */
    in_reply_to: string;
    thread_id: string | null;
    run_id: string | null;
    text: string;
    files: { filename: string; content_type: string; size: number; content: string | null }[];
  };
}
