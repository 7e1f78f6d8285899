import { setTimeout as sleep } from 'node:timers/promises';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from './chaos-options.ts';

const writers = 4;
/**
 * Many logins for each account, because hashing its password takes most of the time, and nothing is written meanwhile.
 */
const tokensEach = 40;
/** Counted in answers and not in time, so that a slow machine is also killed in the middle of its writes. */
const killAfterAnswers = { least: 1, most: 150 };
const killJitterMs = 20;

/** The writes that the gateway has acknowledged and therefore must keep. */
interface Acknowledged {
  email: string;
  password: string;
  session: HttpSession;
  tokens: { id: string; token: string }[];
}

const { rounds, random } = chaosOptions('accounts');
const folder = temporaryFolder();
let gateway: SpawnedGateway | undefined;

afterAll(async () => {
  await gateway?.stop();
  folder.remove();
});

it('forgets no acknowledged account, session or token when it is killed in the middle of writing', async () => {
  const all: Acknowledged[] = [];
  gateway = await SpawnedGateway.start({ home: folder.path });
  for (let round = 1; round <= rounds; round++) {
    const fresh = await writeUntilKilled(gateway, round);
    gateway = await SpawnedGateway.start({ home: folder.path });
    for (const known of fresh) await expectWholeAccount(gateway.url, known);
    all.push(...fresh);
    const tokens = countAnswers(fresh) - fresh.length;
    console.log(`round ${round}: ${fresh.length} accounts and ${tokens} tokens acknowledged, all there`);
  }
  for (const known of all) await expectCredentials(gateway.url, known);
});

async function writeUntilKilled(target: SpawnedGateway, round: number): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const writing = Promise.allSettled(
    Array.from({ length: writers }, (_, writer) =>
      writeForEver(target.url, { acknowledged, prefix: `round-${round}-writer-${writer}` }),
    ),
  );
  const { least, most } = killAfterAnswers;
  const answers = Math.round(least + random() * (most - least));
  let haveStopped = false;
  void writing.then(() => {
    haveStopped = true;
  });
  while (countAnswers(acknowledged) < answers && !haveStopped) await sleep(1);
  await sleep(random() * killJitterMs);
  await target.kill9();
  for (const ending of await writing) {
    if (ending.status === 'rejected' && !isConnectionLoss(ending.reason)) throw ending.reason;
  }
  return acknowledged;
}

function countAnswers(acknowledged: readonly Acknowledged[]): number {
  return acknowledged.reduce((sum, { tokens }) => sum + 1 + tokens.length, 0);
}

/** Ends with the error of the connection that breaks when the gateway dies. */
async function writeForEver(
  url: string,
  { acknowledged, prefix }: { acknowledged: Acknowledged[]; prefix: string },
): Promise<never> {
  for (let number = 0; ; number++) {
    const credentials = { email: `${prefix}-${number}@example.com`, password: `correct horse ${prefix}` };
    const session = await HttpSession.register(url, credentials);
    const known: Acknowledged = { ...credentials, session, tokens: [] };
    acknowledged.push(known);
    for (let count = 0; count < tokensEach; count++) {
      const wish = { name: `token ${count}`, scopes: ['dispatch:read'] };
      known.tokens.push(await session.post<{ id: string; token: string }>('/api/v1/auth/tokens', wish));
    }
  }
}

/** fetch says "fetch failed" with a cause, or "terminated" when the answer breaks off half way. */
function isConnectionLoss(error: unknown): boolean {
  return error instanceof TypeError && (error.cause !== undefined || error.message === 'terminated');
}

async function expectWholeAccount(url: string, known: Acknowledged): Promise<void> {
  const { email } = await (await HttpSession.login(url, known)).get<{ email: string }>('/api/v1/auth/me');
  expect(email).toBe(known.email);
  await expectCredentials(url, known);
}

async function expectCredentials(url: string, { email, session, tokens }: Acknowledged): Promise<void> {
  const me = await session.at(url).get<{ email: string }>('/api/v1/auth/me');
  expect(me.email, 'the session from before the kill').toBe(email);
  const listed = await session.at(url).get<{ items: { id: string }[] }>('/api/v1/auth/tokens');
  const ids = listed.items.map((item) => item.id);
  expect(ids).toEqual(expect.arrayContaining(tokens.map(({ id }) => id)));
  for (const { token } of tokens) {
    const answer = await fetch(new URL('/api/v1/auth/me', url), {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status, `a token of ${email}`).toBe(200);
  }
}
