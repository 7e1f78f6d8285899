import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeFleet, startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { startRedis } from '@switchyard/dev-env/redis';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { startPeer } from '../conversation/peer-process.ts';
import type { BareLoopRequest, BareLoopResult } from '../peers/bare-loop.ts';
import { TaskServer } from './task-server.ts';

export interface PoolOptions {
  workers: number;
  outputBytes: number;
  /** The time that a worker needs for a task; none where it is left out. */
  runMs?: number;
}

export interface ServerSide {
  server: TaskServer;
  fleet: FakeFleet;
  close: () => Promise<void>;
}

const users = 4;

/** Each side has workers of its own, because a worker tells every client that is connected about its queue. */
function startPool({ workers, outputBytes, runMs = 0 }: PoolOptions): Promise<FakeFleet> {
  return startFakeFleet(workers, { outputBytes, runMs, isLifelike: true });
}

/** The built gateway on SQLite. */
export async function startGatewaySide(pool: PoolOptions): Promise<ServerSide> {
  const home = temporaryFolder();
  const fleet = await startPool(pool);
  const workers = fleet.ports.map((port) => `127.0.0.1:${port}`).join(',');
  const gateway = await SpawnedGateway.start({
    home: home.path,
    env: { SWITCHYARD__DISPATCH__WORKERS: workers },
  });
  const tokens: string[] = [];
  for (let user = 0; user < users; user += 1) tokens.push(await newToken(gateway.url, user));
  await untilIdle(gateway.url, { token: tokens[0] ?? '', workers: pool.workers });
  const server = await TaskServer.open({
    urls: [gateway.url],
    path: '/api/tasks',
    pid: gateway.pid,
    others: [],
    tokens,
  });
  return {
    server,
    fleet,
    close: async () => {
      server.close();
      await gateway.kill9();
      await fleet.close();
      home.remove();
    },
  };
}

/** BullMQ on a Redis that syncs each write. */
export async function startBullmqSide(pool: PoolOptions): Promise<ServerSide> {
  const folder = temporaryFolder();
  const fleet = await startPool(pool);
  const redis = await startRedis({ appendonly: 'yes', appendfsync: 'always' });
  const redisPid = /^process_id:(\d+)/m.exec(await redis.command('INFO', 'server'))?.[1];
  const tokens = Array.from({ length: users }, (_, user) => `token-${user}-${'x'.repeat(32)}`);
  const peer = await startPeer('bullmq-dispatch.ts', {
    args: [redis.url, join(folder.path, 'outputs'), ...tokens, '--', ...fleet.ports.map(String)],
  });
  const server = await TaskServer.open({
    urls: [peer.says],
    path: '/tasks',
    pid: peer.pid,
    others: [Number(redisPid)],
    tokens,
  });
  return {
    server,
    fleet,
    close: async () => {
      server.close();
      peer.stop();
      await redis.stop();
      await fleet.close();
      folder.remove();
    },
  };
}

export interface BareSide {
  run: (request: BareLoopRequest) => Promise<BareLoopResult>;
  close: () => Promise<void>;
}

/** A loop over the workers that keeps nothing. */
export async function startBareSide(pool: PoolOptions): Promise<BareSide> {
  const fleet = await startPool(pool);
  const peer = await startPeer('bare-loop.ts', { args: fleet.ports.map(String) });
  return {
    run: async (request) => JSON.parse(await peer.ask(JSON.stringify(request))) as BareLoopResult,
    close: async () => {
      peer.stop();
      await fleet.close();
    },
  };
}

export async function newToken(url: string, user: number): Promise<string> {
  const session = await HttpSession.register(url, {
    email: `user${user}@example.com`,
    password: `harbour-lantern-${user}`,
  });
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
    name: 'bench',
    scopes: ['dispatch:read', 'dispatch:write'],
  });
  return token;
}

async function untilIdle(url: string, { token, workers }: { token: string; workers: number }): Promise<void> {
  for (;;) {
    const answer = await fetch(new URL('/api/instances', url), {
      headers: { authorization: `Bearer ${token}` },
    });
    const { data } = (await answer.json()) as { data: { state: string }[] };
    if (data.length === workers && data.every(({ state }) => state === 'idle')) return;
    await sleep(50);
  }
}
