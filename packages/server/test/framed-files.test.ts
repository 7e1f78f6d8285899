import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

const hostile: [name: string, content: string][] = [
  ['page.html', '<!doctype html><script>alert(1)</script>'],
  ['page.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>'],
  ['picture.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['feed.xml', '<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><a/>'],
  ['photo.png', '<html><body onload=alert(1)>'],
];

/** What a browser reads to decide how it shows a file. */
const rulesOf = ({ headers }: Response) => ({
  policy: headers.get('content-security-policy')?.split('; ').sort(),
  nosniff: headers.get('x-content-type-options'),
  frameOptions: headers.get('x-frame-options'),
  disposition: headers.get('content-disposition')?.split(';')[0],
});
const rules = (disposition: string) => ({
  policy: ["default-src 'none'", "frame-ancestors 'self'", 'sandbox', "style-src 'unsafe-inline'"],
  nosniff: 'nosniff',
  frameOptions: null,
  disposition,
});

describe('what a page of our own may frame', () => {
  let server: ConversationGateway;
  let ada: ConversationCaller;
  let caller: DispatchCaller;
  let outputs: string;
  let thread: string;
  let picture: Buffer;

  beforeAll(async () => {
    server = await startConversation();
    ({ ada } = server);
    caller = await DispatchCaller.register(ada.url, 'frames@example.com');
    thread = await ada.thread();
    outputs = join(server.gateway.home, 'users', ada.userId, 'threads', thread, 'user-data', 'outputs');
    mkdirSync(outputs, { recursive: true });
    const blank = { width: 4, height: 4, channels: 3, background: 'red' } as const;
    picture = await sharp({ create: blank }).png().toBuffer();
  });

  afterAll(() => server.close());

  async function artifact(name: string, content: string | Buffer): Promise<Response> {
    writeFileSync(join(outputs, name), content);
    const path = `/api/threads/${thread}/artifacts/mnt/user-data/outputs/${name}`;
    return fetch(new URL(path, ada.url), { headers: { 'x-api-key': ada.token } });
  }

  async function stored(name: string, content: string | Buffer): Promise<Response> {
    return fetch((await caller.upload(name, Buffer.from(content))).url);
  }

  it('is a picture of a thread, which shows in a sandbox', async () => {
    const answer = await artifact('photo.png', picture);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(rulesOf(answer)).toEqual(rules('inline'));
  });

  it('is a stored picture, which shows in a sandbox', async () => {
    const answer = await stored('photo.png', picture);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(rulesOf(answer)).toEqual(rules('inline'));
  });

  it.each(hostile)('downloads %s of a thread and never runs it', async (name, content) => {
    expect(rulesOf(await artifact(name, content))).toEqual(rules('attachment'));
  });

  it.each(hostile)('downloads the stored file %s and never runs it', async (name, content) => {
    expect(rulesOf(await stored(name, content))).toEqual(rules('attachment'));
  });

  it('is no answer with data', async () => {
    const answer = await fetch(new URL('/api/health', ada.url));
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});
