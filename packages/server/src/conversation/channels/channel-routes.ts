import { Readable } from 'node:stream';
import { listChannels, postChannelMessage, restartChannel } from '@switchyard/contract/conversation/channels';
import type { FastifyRequest } from 'fastify';
import type { Routes } from '../../http/app.ts';
import { bodyTooLarge } from '../../http/error-mapping.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ChannelNetwork } from './channel-network.ts';
import type { Channels } from './channels.ts';
import { inboundOf } from './http-channel.ts';
import { headOf, isSigned } from './signed-message.ts';

interface ChannelRoutesOptions {
  channels: Channels;
  network: Pick<ChannelNetwork, 'sign'>;
  clock: Clock;
}

const { bodyLimit } = postChannelMessage.config;

export function channelRoutes({ channels, network, clock }: ChannelRoutesOptions): Routes {
  const verified = new WeakMap<FastifyRequest, string>();

  /** The signature covers the bytes as they came, so it is checked before anything reads them. */
  const verify = async (request: FastifyRequest, payload: AsyncIterable<Buffer>): Promise<Readable> => {
    const head = headOf(request.headers, clock());
    if (!head) throw new AppError('channel_signature_invalid');
    const body = await readWhole(payload);
    const { name } = request.params as { name: string };
    const secret = channels.find(name)?.config.secret;
    // A channel that is not there looks like one whose secret is not known.
    if (!secret || !isSigned(head, { body, secret, ...network }))
      throw new AppError('channel_signature_invalid');
    verified.set(request, head.id);
    return Readable.from([body], { objectMode: false });
  };

  return (app) => {
    app.route({ ...listChannels, handler: async () => channels.list() });

    app.route({
      ...restartChannel,
      handler: async (request) => channels.restart(request.params.name),
    });

    app.route({
      ...postChannelMessage,
      preParsing: async (request, _reply, payload) => verify(request, payload as Readable),
      handler: async (request, reply) => {
        const id = verified.get(request);
        const found = channels.find(request.params.name);
        if (id === undefined || !found) throw new AppError('channel_signature_invalid');
        const acceptance = await channels.accept(found, inboundOf(id, request.body));
        return reply.code(202).send({ accepted: true, duplicate: acceptance === 'duplicate' });
      },
    });
  };
}

async function readWhole(payload: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of payload) {
    bytes += part.length;
    if (bytes > bodyLimit) throw bodyTooLarge(bodyLimit);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
