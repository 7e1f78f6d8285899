import { EventEmitter } from 'node:events';
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { OpenStreams } from './open-streams.ts';

class FakeSocket extends EventEmitter {
  setTimeout(): void {}
}

function requestOf(user: string) {
  const socket = new FakeSocket();
  return { socket, request: { headers: { user }, raw: { socket } } as unknown as FastifyRequest };
}

test('one user may have a share of all streams, and others have the rest', () => {
  const userOf = ({ headers }: FastifyRequest) => String(headers.user);
  const streams = new OpenStreams({ limit: 9, perUser: { limit: 2, userOf } });
  const ada = requestOf('ada');
  const first = streams.open('events', ada.request);
  streams.open('held_request', requestOf('ada').request);
  expect(() => streams.open('events', requestOf('ada').request)).toThrow('You have 2 streams');
  streams.open('socket', requestOf('ada').request);
  streams.open('events', requestOf('bob').request);

  first.close();
  first.close();
  streams.open('events', ada.request);
  expect(() => streams.open('events', requestOf('ada').request)).toThrow('You have 2 streams');
  ada.socket.emit('close');
  expect(streams.open('events', requestOf('ada').request).signal.aborted).toBe(false);
});
