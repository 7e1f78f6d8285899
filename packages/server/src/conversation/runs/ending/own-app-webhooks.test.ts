import { expect, it } from 'vitest';
import { withOwnApp } from './own-app-webhooks.ts';
import type { WebhookCaller } from './run-webhooks.ts';

const elsewhere: string[] = [];
const caller: WebhookCaller = {
  whyDenied: (url) => `Not ${url}.`,
  post: async (url) => {
    elsewhere.push(url);
    return { status: 204 };
  },
};
const call = {
  headers: {},
  body: '{"n":1}',
  userId: 'ada',
  authUser: async () => null,
  signal: new AbortController().signal,
};

function calling(answer: (request: Request) => Promise<Response>): WebhookCaller {
  return withOwnApp(caller, {
    webApp: { value: async () => answer },
    ownCode: { during: (_caller, work) => work() },
  });
}

it('tells a path of the app, and says for whom', async () => {
  const seen: unknown[] = [];
  const { post } = calling(async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    seen.push([method, pathname + search, headers.get('x-switchyard-user'), await request.json()]);
    return new Response('thank you', { status: 202 });
  });
  expect(await post('/done?a=1', call)).toEqual({ status: 202 });
  expect(seen).toEqual([['POST', '/done?a=1', 'ada', { n: 1 }]]);
});

it('leaves every other address to the network, with its rules', async () => {
  const { post, whyDenied } = calling(async () => new Response());
  for (const url of ['https://example.com/x', '//example.com/x', '/\\example.com/x']) {
    expect(whyDenied(url)).toBe(`Not ${url}.`);
    await post(url, call);
    expect(elsewhere.at(-1)).toBe(url);
  }
  expect(whyDenied('/done')).toBeNull();
});

it('says that the app failed, so that the call is tried again', async () => {
  const throwing = calling(async () => {
    throw new Error('a fault of the app');
  });
  expect(await throwing.post('/done', call)).toEqual({ error: expect.any(String) });
  const silent = calling(async () => undefined as unknown as Response);
  expect(await silent.post('/done', call)).toEqual({ error: expect.any(String) });
  const aborted = { ...call, signal: AbortSignal.abort(new Error('shutting down')) };
  expect(await calling(() => new Promise(() => {})).post('/done', aborted)).toEqual({
    error: 'shutting down',
  });
});
