import { EventEmitter } from 'node:events';
import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { trustedProxies } from '../access/client-ip.ts';
import { defaultHttpLimits } from '../http-limits.ts';
import { Admission } from './admission.ts';

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  destroyed = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
}

function requestFrom(address: string) {
  const socket = new FakeSocket(address);
  const request = { raw: { socket, headers: {} } } as unknown as FastifyRequest;
  return { socket, request };
}

const admissionWith = (limits: Partial<typeof defaultHttpLimits>) =>
  new Admission({ limits: { ...defaultHttpLimits, ...limits }, proxies: trustedProxies([]) });

describe('a WebSocket that is not signed in', () => {
  test('takes a place of its address until it signs in or disconnects', () => {
    const admission = admissionWith({ strangerSocketsPerAddress: 2 });
    const enter = () => admission.admitStranger(requestFrom('192.0.2.1').request);
    const leaving = requestFrom('192.0.2.1');
    const signedIn = enter();
    admission.admitStranger(leaving.request);
    expect(enter).toThrow('Your address has as many WebSockets open');
    admission.admitStranger(requestFrom('192.0.2.2').request);
    signedIn();
    signedIn();
    enter();
    expect(enter).toThrow('Your address has');
    leaving.socket.emit('close');
    enter();
    expect(enter).toThrow('Your address has');
  });

  test('takes a place of all strangers', () => {
    const admission = admissionWith({ strangerSockets: 2 });
    admission.admitStranger(requestFrom('192.0.2.1').request);
    admission.admitStranger(requestFrom('192.0.2.2').request);
    expect(() => admission.admitStranger(requestFrom('192.0.2.3').request)).toThrow(
      expect.objectContaining({ code: 'overloaded' }),
    );
  });

  test('of IPv6 shares the places of its /64', () => {
    const admission = admissionWith({ strangerSocketsPerAddress: 1 });
    admission.admitStranger(requestFrom('2001:db8:1:2::1').request);
    expect(() => admission.admitStranger(requestFrom('2001:db8:1:2:ffff::9').request)).toThrow(
      'Your address',
    );
    admission.admitStranger(requestFrom('2001:db8:1:3::1').request);
  });

  test('keeps no place if it has already disconnected', () => {
    const admission = admissionWith({ strangerSocketsPerAddress: 1 });
    const gone = requestFrom('192.0.2.1');
    gone.socket.destroyed = true;
    admission.admitStranger(gone.request);
    admission.admitStranger(requestFrom('192.0.2.1').request);
  });
});

test('an open WebSocket is counted until its connection is gone', () => {
  const admission = admissionWith({});
  const { socket, request } = requestFrom('192.0.2.1');
  admission.countSocket(request);
  expect(admission.openSockets).toBe(1);
  socket.emit('close');
  expect(admission.openSockets).toBe(0);
});
