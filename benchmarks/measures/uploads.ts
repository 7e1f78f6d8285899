import { createHash, randomBytes } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { measure } from '../measure.ts';
import { residentMb } from '../process-usage.ts';

const uploads = 20;
const uploadBytes = 50_000_000;
const hugeBytes = 2_000_000_000;
const limitBytes = 200 * 1024 * 1024;
const allowedGrowthMb = 100;
const sampleEveryMs = 20;
const account = { email: 'uploads@example.com', password: 'carry the pictures' };
const boundary = 'bench-boundary';
const head = Buffer.from(
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="big.bin"\r\n\r\n`,
);
const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
/**
 * All uploads are sent from this buffer, each from another place: their contents differ, and this process stays small.
 */
const pattern = randomBytes(8_000_000);

await measure('uploads', `${uploads} uploads of 50 MB at once, and files that are too large`, async () => {
  const home = temporaryFolder();
  const gateway = await SpawnedGateway.start({ home: home.path });
  await HttpSession.register(gateway.url, account);
  const token = await login(gateway.url);
  // The first upload loads the modules that all of them need.
  await upload(gateway.url, { token, bytes: 1_000_000, offset: 0 });
  const idleMb = residentMb(gateway.pid);

  const started = performance.now();
  const many = await peakWhile(
    gateway.pid,
    Promise.all(
      Array.from({ length: uploads }, (_, index) =>
        upload(gateway.url, { token, bytes: uploadBytes, offset: index * 1_000 }),
      ),
    ),
  );
  const tookMs = performance.now() - started;
  const wrong: number[] = [];
  for (const [index, { body }] of many.result.entries()) {
    const { data } = JSON.parse(body) as { data: { url: string } };
    if ((await digestOf(gateway.url, data.url)) !== digest(index * 1_000)) wrong.push(index);
  }

  const announced = await upload(gateway.url, { token, bytes: hugeBytes, offset: 0 });
  const unannounced = await peakWhile(
    gateway.pid,
    upload(gateway.url, { token, bytes: hugeBytes, offset: 0, isChunked: true }),
  );
  await gateway.stop();
  home.remove();

  const refused = unannounced.result;
  return {
    figures: [
      { name: 'memory before', value: idleMb, unit: 'MB' },
      { name: `growth at the peak of ${uploads} uploads`, value: many.peakMb - idleMb, unit: 'MB' },
      { name: 'growth while 2 GB of unsaid size come in', value: unannounced.peakMb - idleMb, unit: 'MB' },
      { name: 'sent of 2 GB that were announced', value: announced.sentBytes / 1e6, unit: 'MB' },
      { name: 'sent of 2 GB that were not', value: refused.sentBytes / 1e6, unit: 'MB' },
      { name: 'the uploads took', value: tookMs, unit: 'ms' },
    ],
    bars: [
      { promise: 'every upload is stored as it was sent', isMet: wrong.length === 0 },
      {
        promise: `${uploads} uploads of 50 MB at once grow memory by less than ${allowedGrowthMb} MB`,
        isMet: many.peakMb - idleMb < allowedGrowthMb,
      },
      {
        promise: '2 GB are refused with 413 before they are sent, where their size was said',
        isMet: announced.status === 413 && announced.sentBytes < 1e6,
      },
      {
        promise: '2 GB of unsaid size are refused with 413 at the limit, without growing memory',
        isMet:
          refused.status === 413 &&
          refused.sentBytes < 1.2 * limitBytes &&
          unannounced.peakMb - idleMb < allowedGrowthMb,
      },
    ],
    notes: [`Memory is the resident set, read every ${sampleEveryMs} ms; the limit of an upload is 200 MB.`],
  };
});

async function login(url: string): Promise<string> {
  const answer = await fetch(new URL('/api/auth/login', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: account.email, password: account.password }),
  });
  return ((await answer.json()) as { data: { token: string } }).data.token;
}

interface Answer {
  status: number;
  body: string;
  /** The time of the file until its answer. */
  sentBytes: number;
}

function upload(
  url: string,
  options: { token: string; bytes: number; offset: number; isChunked?: boolean },
): Promise<Answer> {
  const { token, bytes, offset, isChunked = false } = options;
  return new Promise((resolve, reject) => {
    let sentBytes = 0;
    let answer: Answer | undefined;
    const call = request(new URL('/api/files/upload', url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...(!isChunked && { 'content-length': head.length + bytes + tail.length, expect: '100-continue' }),
      },
    });
    call.once('error', (error) => (answer ? resolve(answer) : reject(error)));
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      const status = response.statusCode ?? 0;
      answer = { status, body: '', sentBytes };
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        resolve({ status, body: Buffer.concat(chunks).toString(), sentBytes });
        call.destroy();
      });
    });
    const send = async (): Promise<void> => {
      call.write(head);
      for (let left = bytes; left > 0 && !answer && !call.destroyed; ) {
        const chunk = part((offset + bytes - left) % pattern.length, left);
        left -= chunk.length;
        sentBytes += chunk.length;
        if (!call.write(chunk)) await drained(call);
      }
      if (!answer) call.end(tail);
    };
    if (isChunked) void send();
    else {
      call.once('continue', () => void send());
      call.flushHeaders();
    }
  });
}

/** Resolves when the request is answered or broken off, whichever comes first. */
function drained(call: ClientRequest): Promise<void> {
  const events = ['drain', 'close', 'response'] as const;
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) call.off(event, done);
      resolve();
    };
    for (const event of events) call.on(event, done);
  });
}

function part(start: number, most: number): Buffer {
  return pattern.subarray(start, Math.min(start + Math.min(most, 64 * 1024), pattern.length));
}

function digest(offset: number): string {
  const hash = createHash('sha256');
  for (let left = uploadBytes; left > 0; ) {
    const chunk = part((offset + uploadBytes - left) % pattern.length, left);
    left -= chunk.length;
    hash.update(chunk);
  }
  return hash.digest('hex');
}

async function digestOf(gateway: string, link: string): Promise<string> {
  const answer = await fetch(new URL(link, gateway));
  const hash = createHash('sha256');
  for await (const chunk of answer.body ?? []) hash.update(chunk);
  return hash.digest('hex');
}

async function peakWhile<Result>(
  pid: number,
  work: Promise<Result>,
): Promise<{ result: Result; peakMb: number }> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let peakMb = 0;
  while (!isDone) {
    peakMb = Math.max(peakMb, residentMb(pid));
    await sleep(sampleEveryMs);
  }
  return { result: await done, peakMb };
}
