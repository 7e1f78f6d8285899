import { Readable } from 'node:stream';
import { listChannels, postChannelMessage, restartChannel } from '@switchyard/contract/conversation/channels';
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../http/access/actor.ts';
import type { Routes } from '../http/app.ts';
import type { Admission } from '../http/body/admission.ts';
import { AppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Audit } from '../platform/audit/audit.ts';
import type { ChannelNetwork } from './channel-network.ts';
import type { Channels } from './channels.ts';
import { inboundOf } from './http-channel.ts';
import { headOf, isSigned, type SignedHead } from './signed-message.ts';

/** The head of a message, and the secret that it must be signed with. */
interface Announced {
  head: SignedHead;
  secret: string;
}

export function channelRoutes({
  channels,
  network,
  readBody,
  audit,
  clock,
}: {
  channels: Channels;
  network: Pick<ChannelNetwork, 'sign'>;
  readBody: Admission['readBody'];
  audit: Pick<Audit, 'add'>;
  clock: Clock;
}): Routes {
  const announced = new WeakMap<FastifyRequest, Announced>();

  /** Runs before any byte of the body is read. A channel that does not exist is refused in the same way as a wrong secret. */
  const lookAtHead = async (request: FastifyRequest): Promise<void> => {
    const { name } = request.params as { name: string };
    const head = headOf(request.headers, clock());
    const secret = channels.find(name)?.config.secret;
    if (!head || !secret) throw new AppError('channel_signature_invalid');
    announced.set(request, { head, secret });
  };

  /** The signature covers the bytes as they came, so it is checked before they are parsed. */
  const verify = async (request: FastifyRequest, payload: Readable): Promise<Readable> => {
    const body = await readBody(request, payload);
    const { head, secret } = announcedBy(request);
    if (!isSigned(head, { body, secret, ...network })) throw new AppError('channel_signature_invalid');
    return Readable.from([body], { objectMode: false });
  };

  const announcedBy = (request: FastifyRequest): Announced => {
    const known = announced.get(request);
    if (!known) throw new AppError('channel_signature_invalid');
    return known;
  };

  return (app) => {
    app.route({ ...listChannels, handler: async () => channels.list() });

    app.route({
      ...restartChannel,
      handler: async (request) => {
        const { name } = request.params;
        const restarted = await channels.restart(name);
        await audit.add(actorOf(request), { action: 'channel.restarted', target: ['channel', name] });
        return restarted;
      },
    });

    app.route({
      ...postChannelMessage,
      onRequest: lookAtHead,
      preParsing: async (request, _reply, payload) => verify(request, payload as Readable),
      handler: async (request, reply) => {
        const { head } = announcedBy(request);
        const found = channels.find(request.params.name);
        if (!found) throw new AppError('channel_signature_invalid');
        const acceptance = await channels.accept(found, inboundOf(head.id, request.body));
        return reply.code(202).send({ accepted: true, duplicate: acceptance === 'duplicate' });
      },
    });
  };
}
