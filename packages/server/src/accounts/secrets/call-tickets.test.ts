import { expect, it } from 'vitest';
import { CallTickets, type HolderAccount } from './call-tickets.ts';

const ada = { email: 'ada@example.com', needs_setup: 0, oauth_provider: null, token_version: 3, disabled: 0 };
const scopes = ['conversation:read'] as const;

function open() {
  const time = { ms: 0 };
  const known = new Map<string, HolderAccount>([
    ['ada', ada],
    ['dis', { ...ada, disabled: 1 }],
  ]);
  const tickets = new CallTickets({
    accountOf: async (userId) => known.get(userId),
    now: () => time.ms,
  });
  return { time, tickets, ticketOf: (userId = 'ada') => tickets.make({ userId, custom: null, scopes }) };
}

it('lets its holder in once, never as an administrator, and for what it was made', async () => {
  const { tickets, ticketOf } = open();
  const ticket = ticketOf();
  const identity = { userId: 'ada', role: 'user', via: 'own_code', sessionVersion: 3, scopes };

  expect(await tickets.redeem(ticket)).toMatchObject(identity);
  await expect(tickets.redeem(ticket)).rejects.toMatchObject({ code: 'token_invalid' });
});

it('is refused when its time is over, when it is unknown, and without an account that may sign in', async () => {
  const { time, tickets, ticketOf } = open();
  const [ticket, late] = [ticketOf(), ticketOf()];
  time.ms = 9_999;
  await tickets.redeem(ticket);
  time.ms = 10_000;

  for (const wrong of [late, 'sy_run_unknown', ticketOf('dis')])
    await expect(tickets.redeem(wrong)).rejects.toMatchObject({ code: 'token_invalid' });
  await expect(tickets.redeem(ticketOf('gone'))).rejects.toMatchObject({ code: 'user_not_found' });
});

it('makes no more than it can keep until those before have expired', async () => {
  const { time, ticketOf } = open();
  for (let made = 0; made < 10_000; made += 1) ticketOf();
  expect(() => ticketOf()).toThrow(expect.objectContaining({ code: 'overloaded' }));

  time.ms = 10_000;
  expect(ticketOf()).toMatch(/^sy_run_/);
});
