import { describe, expect, it } from 'vitest';
import { readError, readValue } from './read-answer.ts';

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

describe('an error', () => {
  it('of the dispatch area keeps all of its fields', async () => {
    const details = [{ path: 'body.workflow', message: 'is missing' }];
    const error = await readError(
      answer(
        429,
        { code: 429, error: 'queue_full', message: 'Full.', data: null, requestId: 'r1', details },
        { 'retry-after': '7' },
      ),
    );
    expect(error).toMatchObject({
      status: 429,
      code: 'queue_full',
      message: 'Full.',
      details,
      requestId: 'r1',
      retryAfterSeconds: 7,
    });
  });

  it.each([
    [
      'a code and a message',
      { code: 'token_expired', message: 'Expired.' },
      401,
      'token_expired',
      'Expired.',
    ],
    ['a sentence alone', 'Thread not found', 404, 'not_found', 'Thread not found'],
    [
      'a list of faults',
      [
        { type: 'missing', loc: ['body', 'name'], msg: 'Field required', input: null },
        { type: 'missing', loc: ['body', 'scopes'], msg: 'Field required', input: null },
      ],
      422,
      'validation_failed',
      'body.name: Field required (and 1 more)',
    ],
  ])('of the conversation area may be %s', async (_, detail, status, code, message) => {
    const error = await readError(answer(status, { detail }, { 'x-request-id': 'r2' }));
    expect(error).toMatchObject({ status, code, message, requestId: 'r2', retryAfterSeconds: null });
  });

  it('names the fields of a list of faults as the dispatch area does', async () => {
    const detail = [{ type: 'missing', loc: ['body', 'items', 0], msg: 'Field required', input: null }];
    const error = await readError(answer(422, { detail }));
    expect(error.details).toEqual([{ path: 'body.items.0', message: 'Field required' }]);
  });

  it('of the conversation area may have its message as codes', async () => {
    const sentences = [{ code: 'mcp_address_scheme', values: {} }];
    const error = await readError(answer(400, { detail: 'Must be an http or https address.', sentences }));
    expect(error).toMatchObject({ code: 'malformed', sentences });
    expect((await readError(answer(400, { detail: 'No.' }))).sentences).toEqual([]);
  });

  it.each(['<html>Bad gateway</html>', '', '[]', '{"detail":5}'])(
    'of something in between (%j) is an error as well',
    async (body) => {
      expect(await readError(answer(502, body))).toMatchObject({
        status: 502,
        code: 'http_502',
        message: expect.stringContaining('502'),
      });
    },
  );

  it('keeps what an unhealthy gateway says about itself', async () => {
    const data = { status: 'degraded', database: 'disconnected' };
    expect(await readError(answer(503, { code: 503, data }))).toMatchObject({ status: 503, details: data });
  });

  it.each([
    ['https://gate.example/api/tasks', 'https://gate.example'],
    ['/elsewhere', 'http://gateway.test'],
    ['http://[', 'another address'],
    ['', 'http://gateway.test'],
  ])('says where a redirect to "%s" leads, and does not follow it', async (location, place) => {
    const redirect = answer(301, '', { location });
    Object.defineProperty(redirect, 'url', { value: 'http://gateway.test/api/tasks' });
    const error = await readError(redirect);
    expect(error).toMatchObject({ code: 'redirected', message: expect.stringContaining(`to ${place}.`) });
  });

  it('reads a date to wait for as seconds from now', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const { retryAfterSeconds } = await readError(answer(503, '', { 'retry-after': date }));
    expect(retryAfterSeconds).toBeGreaterThan(50);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  });
});

describe('a value', () => {
  it('is taken out of the envelope', async () => {
    expect(await readValue(answer(200, { code: 200, data: { token: 't' } }))).toEqual({ token: 't' });
    expect(await readValue(answer(200, { code: 200, data: null }))).toBeNull();
  });

  it('stays as it is without one', async () => {
    expect(await readValue(answer(201, { id: 'a', code: 'x', data: 1 }))).toEqual({
      id: 'a',
      code: 'x',
      data: 1,
    });
    expect(await readValue(answer(200, [1]))).toEqual([1]);
  });

  it('is null when the answer has no value', async () => {
    expect(await readValue(new Response(null, { status: 204 }))).toBeNull();
    expect(await readValue(new Response(null, { status: 202 }))).toBeNull();
  });

  it('that is not JSON means that the server is not a gateway', async () => {
    await expect(readValue(answer(200, '<html>'))).rejects.toMatchObject({
      name: 'ConnectionError',
      fault: 'not_understood',
    });
  });

  it('without an end is not read to its end', async () => {
    let chunks = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    await expect(readValue(new Response(endless))).rejects.toMatchObject({ fault: 'not_understood' });
    expect(chunks).toBeLessThan(80);
  });
});
