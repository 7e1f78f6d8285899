import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { Metrics } from '../src/platform/telemetry/metrics.ts';
import { ManualTime } from '../testing/manual-time.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

let server: TestServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const token = 'a token of sixteen';

async function ask(given: { remoteAddress?: string; headers?: Record<string, string> }, configured?: string) {
  server ??= await startTestServer({ metricsToken: configured ?? null });
  return server.inject({ url: '/metrics', ...given });
}

describe('/metrics', () => {
  test.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('answers to %s', async (remoteAddress) => {
    expect((await ask({ remoteAddress })).statusCode).toBe(200);
  });

  test.each(['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1'])('is closed to %s', async (remoteAddress) => {
    const answer = await ask({ remoteAddress });
    expect([answer.statusCode, answer.json().detail.code]).toEqual([401, 'not_authenticated']);
  });

  test.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
    'is closed to requests that a proxy on this machine forwards (%s)',
    async (header) => {
      const answer = await ask({ remoteAddress: '127.0.0.1', headers: { [header]: '192.0.2.1' } });
      expect(answer.statusCode).toBe(401);
    },
  );

  test('is closed to a page that has pointed its own name at this machine', async () => {
    const answer = await ask({ remoteAddress: '127.0.0.1', headers: { host: 'evil.example:7300' } });
    expect(answer.statusCode).toBe(401);
  });

  test('answers every caller with the token, and no caller with another one', async () => {
    const remoteAddress = '192.0.2.1';
    const right = await ask(
      { remoteAddress, headers: { authorization: `Bearer ${token.replaceAll(' ', '-')}` } },
      token.replaceAll(' ', '-'),
    );
    expect(right.statusCode).toBe(200);
    for (const authorization of ['Bearer another-token-of-16', 'Bearer a', 'Basic YTpi'])
      expect((await ask({ remoteAddress, headers: { authorization } })).statusCode).toBe(401);
  });

  test('counts requests by route, not by address', async () => {
    server = await startTestServer();
    await server.inject('/docs/docs.css');
    await server.inject('/api/nothing?user=42');
    const { body, headers } = await ask({});
    expect(headers['content-type']).toContain('text/plain');
    for (const line of [
      'switchyard_http_requests_total{route="/docs/:asset",method="GET",status="2xx"} 1',
      'switchyard_http_requests_total{route="none",method="GET",status="4xx"} 1',
      'switchyard_http_request_duration_seconds_count{route="/docs/:asset",method="GET"} 1',
      'switchyard_http_request_duration_seconds_count{route="refused",method="GET"} 1',
    ])
      expect(body).toContain(line);
    expect(body).toContain(`switchyard_build_info{version="1.2.3",node="${process.version}"} 1`);
    expect(body).not.toContain('nothing');
  });

  test('shows figures of the process', async () => {
    const { body } = await ask({});
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_delay_seconds{quantile="0.99"}',
      'switchyard_http_requests_in_flight',
      'switchyard_open_streams{kind="events"}',
    ])
      expect(body).toMatch(new RegExp(`^${name.replace(/[{}."]/g, '\\$&')} [\\d.e+-]+$`, 'm'));
  });

  test('say nothing of an area that is switched off, or of Redis where there is none', async () => {
    const { body } = await ask({});
    expect(body).not.toMatch(/^switchyard_(queue_depth|instances_up|runs_active|redis_up) /m);
  });

  test('leave out a gauge that cannot be read in time, until it can be', async () => {
    const time = new ManualTime();
    const metrics = new Metrics({ version: '1.2.3', timer: time.timer });
    let read: () => Promise<number | null> = async () => 7;
    metrics.fill(metrics.diskFree, () => read(), { place: 'data_home' });
    const series = 'switchyard_disk_free_bytes{place="data_home"}';
    expect(await metrics.render()).toContain(`${series} 7`);
    read = () => Promise.reject(new Error('the disk is gone'));
    expect(await metrics.render()).not.toContain(series);
    read = async () => 8;
    expect(await metrics.render()).toContain(`${series} 8`);
    read = () => new Promise(() => undefined);
    const late = metrics.render();
    time.advance(2_000);
    expect(await late).not.toContain(series);
    metrics.close();
  });

  test('do not grow with the number of callers, paths, names, methods and statuses', async () => {
    const url = '/things/:id';
    const answered = async (request: FastifyRequest, reply: FastifyReply) =>
      reply.code(Number((request.query as { status?: string }).status ?? 200)).send('');
    server = await startTestServer({
      routes: [
        (app) => app.route({ method: 'GET', url, ...testRoute, schema: testSchema, handler: answered }),
      ],
    });
    const round = async (from: number) => {
      for (let at = from; at < from + 1_000; at += 1) {
        const remoteAddress = `10.0.${at >> 8}.${at & 255}`;
        const method = (['GET', 'HEAD', 'PROPFIND', 'PURGE'] as const)[at % 4] as 'GET';
        const status = 400 + (at % 60);
        await server?.inject({ method, url: `/things/${at}?status=${status}`, remoteAddress });
        await server?.inject({ method, url: `/nothing-${at}`, headers: { host: `h${at}.example` } });
        await server?.inject({
          url: `/things/${at}?status=${200 + (at % 7)}`,
          headers: { 'x-api-key': `k${at}` },
        });
      }
      return namesOf((await ask({ remoteAddress: '127.0.0.1' })).body);
    };
    await ask({});
    const first = await round(0);
    expect(await round(1_000)).toEqual(first);
    const durations = first.filter((name) =>
      name.startsWith('switchyard_http_request_duration_seconds_count'),
    );
    expect(durations.sort()).toEqual([
      'switchyard_http_request_duration_seconds_count{route="/metrics",method="GET"}',
      'switchyard_http_request_duration_seconds_count{route="/things/:id",method="GET"}',
      'switchyard_http_request_duration_seconds_count{route="refused",method="GET"}',
      'switchyard_http_request_duration_seconds_count{route="refused",method="other"}',
    ]);
  });
});

/** The series, without their values. */
function namesOf(metrics: string): string[] {
  const lines = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.slice(0, line.lastIndexOf(' '))).sort();
}
