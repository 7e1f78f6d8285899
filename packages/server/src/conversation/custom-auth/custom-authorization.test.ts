import { describe, expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { Identity } from '../../http/access/identity.ts';
import { SocketCaller } from '../protocol/socket-caller.ts';
import { CustomAuthorization } from './custom-authorization.ts';
import { CustomDecisions } from './decisions.ts';

const time = new ManualTime();
const user = { identity: 'ada', display_name: 'ada', is_authenticated: true, permissions: [] };
const never = () => new Promise(() => {});
const nothing = async () => Promise.reject(new Error('read before the handler answered'));
const authorization = new CustomAuthorization({
  decisions: new CustomDecisions({
    auth: { value: async () => ({ authenticate: () => user, on: () => never }) },
    timer: time.timer,
  }),
  access: { find: nothing },
  runs: { look: nothing },
  assistants: { get: nothing, isStored: nothing },
  crons: { get: nothing },
});
const identity = { userId: 'ada', scopes: ['conversation:write'], custom: user } as unknown as Identity;
const socket = new SocketCaller({
  identity,
  mount: '/api/langgraph',
  threadId: 't',
  headers: {},
  identify: async () => identity,
  decide: (call) => authorization.decide(call),
});
const cron = (method: string, path: string) => () =>
  authorization.decide({
    endpoint: `${method} /api/langgraph${path}`,
    isRest: false,
    user,
    owner: { user: 'ada' },
    headers: {},
    params: { thread_id: 't', cron_id: 'c' },
    query: {},
    body: {},
  });

describe('a handler that does not answer', () => {
  it.each([
    ['a new cron', cron('POST', '/runs/crons')],
    ['a new cron in a thread', cron('POST', '/threads/:thread_id/runs/crons')],
    ['a change of a cron', cron('PATCH', '/runs/crons/:cron_id')],
    ['the deletion of a cron', cron('DELETE', '/runs/crons/:cron_id')],
    ['a search of crons', cron('POST', '/runs/crons/search')],
    [
      'a command of a socket',
      () => socket.send({ id: 1, method: 'run.start', params: { assistant_id: 'a' } }),
    ],
    ['a subscription of a socket', () => socket.subscribe()],
  ])('is given up, and nothing is allowed: %s', async (_name, ask) => {
    const refused = expect(ask()).rejects.toMatchObject({ code: 'custom_auth_too_slow', status: 504 });
    await expect.poll(() => time.nextTimerMs).not.toBeNull();
    time.advance(10_000);

    await refused;
  });
});
