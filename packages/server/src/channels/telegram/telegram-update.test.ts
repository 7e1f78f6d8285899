import { describe, expect, it } from 'vitest';
import { inboundOf, messagesOf, type TelegramUpdate } from './telegram-update.ts';

const message = { message_id: 7, from: { id: 11 }, chat: { id: 11, type: 'private' }, text: 'hi' };
const read = (changes: object, groups = false) =>
  inboundOf({ update_id: 1, message: { ...message, ...changes } } as TelegramUpdate, { groups });

describe('an update of Telegram', () => {
  it('is a message of its sender in its chat', () => {
    expect(read({})).toEqual({ messageId: '11:7', chatId: '11', sender: '11', text: 'hi', files: [] });
  });

  it.each([
    ['another bot', { from: { id: 5, is_bot: true } }],
    ['no sender', { from: undefined }],
    ['a group', { chat: { id: -5, type: 'group' } }],
    ['a channel', { chat: { id: -5, type: 'channel' } }],
  ])('is nothing when it is of %s', (_what, changes) => {
    expect(read(changes)).toBeNull();
  });

  it('is ignored when it is not a message', () => {
    expect(inboundOf({ update_id: 1 }, { groups: true })).toBeNull();
  });

  it('of a group counts when the channel is for groups; news of the group do not; topics are chats', () => {
    const chat = { id: -5, type: 'supergroup' };
    expect(read({ chat }, true)).toMatchObject({ chatId: '-5', sender: '11' });
    expect(read({ chat, is_topic_message: true, message_thread_id: 3 }, true)).toMatchObject({
      chatId: '-5:3',
    });
    expect(read({ chat, text: undefined }, true)).toBeNull();
  });

  it('has the largest picture and every other file, with their caption', () => {
    const photo = [{ file_id: 'small' }, { file_id: 'large' }];
    expect(read({ text: undefined, caption: 'see', photo })).toMatchObject({
      text: 'see',
      files: [{ kind: 'image', ref: 'large', filename: 'photo_7.jpg' }],
    });
    const document = { file_id: 'd', file_name: 'a.pdf' };
    expect(read({ document, animation: { file_id: 'd' }, voice: { file_id: 'v' } })?.files).toEqual([
      { kind: 'file', ref: 'd', filename: 'a.pdf' },
      { kind: 'file', ref: 'v', filename: 'recording_7.ogg' },
    ]);
  });
});

describe('an album', () => {
  const picture = (id: number, album: string | undefined, caption?: string) => ({
    update_id: id,
    message: {
      ...message,
      message_id: id,
      text: undefined,
      caption,
      media_group_id: album,
      photo: [{ file_id: `p${id}` }],
    },
  });

  it('is one message with the words of the picture that has them', () => {
    const updates = [
      picture(1, 'a'),
      picture(2, 'a', 'both'),
      picture(3, 'b'),
      picture(4, undefined, 'single'),
    ];
    const received = messagesOf(updates as unknown as TelegramUpdate[], { groups: false });
    expect(received).toMatchObject([
      {
        album: 'a',
        lastUpdateId: 2,
        message: { messageId: '11:1', text: 'both', files: [{ ref: 'p1' }, { ref: 'p2' }] },
      },
      { album: 'b', lastUpdateId: 3, message: { messageId: '11:3', files: [{ ref: 'p3' }] } },
      { album: null, lastUpdateId: 4, message: { messageId: '11:4', text: 'single' } },
    ]);
  });

  it('is only confirmed when no person sent it', () => {
    const updates = [{ update_id: 9, message: { ...message, from: { id: 5, is_bot: true } } }];
    expect(messagesOf(updates, { groups: false })).toEqual([{ message: null, album: null, lastUpdateId: 9 }]);
  });
});
