import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { channelList, channelMessage, channelName, messageReceipt } from './channel.ts';

const tags = ['Channels'];
const url = '/api/channels';
const params = Type.Object({ name: channelName });

export const listChannels = {
  method: 'GET',
  url: `${url}/`,
  config: { access: 'admin' },
  schema: { summary: 'The messaging channels and how they are', tags, response: { 200: channelList } },
} as const satisfies Endpoint;

export const restartChannel = {
  method: 'POST',
  url: `${url}/:name/restart`,
  config: { access: 'admin' },
  schema: {
    summary: 'Connect to a messaging channel again',
    description: 'What is being answered is not touched, so that nothing is said twice.',
    tags,
    params,
    response: { 200: Type.Object({ success: Type.Boolean(), message: Type.String() }) },
  },
} as const satisfies Endpoint;

export const postChannelMessage = {
  method: 'POST',
  url: `${url}/:name/messages`,
  config: { access: 'public', bodyLimit: 2_097_152 },
  schema: {
    summary: 'A message from an HTTP channel',
    description:
      'Signed as Standard Webhooks says, over `<webhook-id>.<webhook-timestamp>.<body>` with the secret of the channel. Answered once it is stored; the reply goes to the URL of the channel. The same `webhook-id` again is the same message.',
    tags,
    params,
    // Optional on purpose: a missing or wrong header counts as a wrong signature, not as an invalid request.
    headers: Type.Object({
      'webhook-id': Type.Optional(Type.String({ description: 'Of the message, at most 128 characters.' })),
      'webhook-timestamp': Type.Optional(
        Type.String({ description: 'Seconds since the epoch, at most 5 minutes off.' }),
      ),
      'webhook-signature': Type.Optional(
        Type.String({ description: '`v1,` and the base64 of an HMAC-SHA-256.' }),
      ),
    }),
    body: channelMessage,
    response: { 202: messageReceipt },
  },
} as const satisfies Endpoint;
