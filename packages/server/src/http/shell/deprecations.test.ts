import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { dayMs } from '../../lib/time-units.ts';
import { Deprecations } from './deprecations.ts';

it('is told to each caller, and to the log once a day for each address', async () => {
  let nowMs = 0;
  const lines: { address?: string; instead?: string }[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const app = fastify({ logger: { level: 'warn', stream } });
  const deprecations = new Deprecations(() => nowMs);
  for (const url of ['/one', '/other']) {
    const about = { since: '2026-11-28', until: '2027-11-28', instead: `GET ${url}/new` };
    app.get(url, { onRequest: deprecations.announce(`GET ${url}`, about) }, async () => 'ok');
  }
  const ask = async (url: string) => (await app.inject(url)).headers;

  for (let count = 0; count < 3; count += 1)
    expect(await ask('/one')).toMatchObject({
      deprecation: '@1795824000',
      sunset: 'Sun, 28 Nov 2027 00:00:00 GMT',
    });
  await ask('/other');
  expect(lines.map(({ address }) => address)).toEqual(['GET /one', 'GET /other']);
  expect(lines[0]).toMatchObject({ instead: 'GET /one/new', until: '2027-11-28' });
  nowMs += dayMs - 1;
  await ask('/one');
  expect(lines).toHaveLength(2);
  nowMs += 1;
  await ask('/one');
  expect(lines.map(({ address }) => address)).toEqual(['GET /one', 'GET /other', 'GET /one']);
});
