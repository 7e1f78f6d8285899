import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { type BenchGateway, startGateway } from '../conversation/agent-servers.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { isRehearsal, type Measured, measure } from '../measure.ts';
import { mainThreadMs, residentMb } from '../process-usage.ts';
import { median } from '../statistics.ts';

const callTimes = isRehearsal ? 20 : 400;
const streamTimes = isRehearsal ? 10 : 200;
const streams = isRehearsal ? 10 : 100;
const restRounds = isRehearsal ? 1 : 7;
const eventRounds = isRehearsal ? 1 : 5;
const eventSeconds = isRehearsal ? 1 : 4;
const settleMs = 3_000;
/** The graphs of this measure say `t0 t1 …` up to here. */
const tokens = 200;

interface Side {
  path: string;
  bodyOf: (graph: string) => object;
  /** Returns the text that an event of the stream adds to the answer. */
  textOf: (event: string) => string;
}

const input = { messages: [{ role: 'user', content: 'hello' }] };
const api: Side = {
  path: '/api/runs/stream',
  bodyOf: (graph) => ({
    assistant_id: graph,
    input,
    on_completion: 'delete',
    stream_mode: ['messages-tuple'],
  }),
  textOf: (event) => {
    const data = /^event: messages\n(?:id: \d+\n)?data: (.*)$/m.exec(event)?.[1];
    return data === undefined ? '' : (JSON.parse(data) as [{ content: string }])[0].content;
  },
};
const openai: Side = {
  path: '/v1/chat/completions',
  bodyOf: (graph) => ({ model: graph, ...input, stream: true }),
  textOf: (event) => {
    const data = event.replace(/^data: /, '');
    if (!data.startsWith('{')) return '';
    const { choices } = JSON.parse(data) as { choices: { delta: { content?: string } }[] };
    return choices[0]?.delta.content ?? '';
  },
};

const agUi = (graph: string): Side => ({
  path: `/ag-ui/${graph}`,
  bodyOf: () => ({
    threadId: randomUUID(),
    runId: randomUUID(),
    messages: [{ id: randomUUID(), role: 'user', content: 'hello' }],
  }),
  textOf: (event) => {
    const { type, delta } = JSON.parse(event.replace(/^data: /, '')) as { type: string; delta: string };
    return type === 'TEXT_MESSAGE_CONTENT' ? delta : '';
  },
});

const mcpHeaders = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'ask_echo',
};
const mcpCall = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'ask_echo',
    arguments: { input },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

await measure('doors-agents', 'Agents behind other interfaces, beside the same runs on `/api`', async () => {
  const parts = [await chats(), await calls(), await events(), await atRest()];
  return {
    figures: parts.flatMap(({ figures }) => figures),
    bars: parts.flatMap(({ bars }) => bars),
    notes: [
      `The load of the machine was ${loadavg()
        .map((load) => load.toFixed(1))
        .join(', ')} at the end; gateway and clients share two cores. The two sides take turns.`,
      ...parts.flatMap(({ notes = [] }) => notes),
    ],
  };
});

/** Stateless runs on `/api`, and the same runs as chat completions. */
async function chats(): Promise<Measured> {
  const server = await startGateway();
  const token = await tokenOf(server);
  const post = (path: string, body: object): Promise<Response> =>
    fetch(new URL(path, server.gateway.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const whole = (path: string, body: object) => async (): Promise<void> => {
    const answer = await post(path, body);
    const text = await answer.text();
    if (!answer.ok || !text.includes('echo: hello')) throw new Error(`${path}: ${answer.status} ${text}`);
  };
  const sides = [
    whole('/api/runs/wait', { assistant_id: 'echo', input, on_completion: 'delete' }),
    whole(openai.path, { model: 'echo', ...input }),
  ];
  await inTurn(sides, callTimes / 4);
  const [ownMs = 0, doorMs = 0] = await inTurn(sides, callTimes);
  const first = async (side: Side): Promise<number> => (await read(post, side, 'fast')).firstMs;
  const firsts: { own: number[]; door: number[] } = { own: [], door: [] };
  for (let time = 0; time < streamTimes; time += 1) {
    firsts.own.push(await first(api));
    firsts.door.push(await first(openai));
  }
  const [ownFirst, doorFirst] = [median(firsts.own), median(firsts.door)];
  const crowd = await crowdOf(server, () => read(post, openai, 'paced'));
  await server.close();
  return {
    figures: [
      { name: 'a whole run: on /api (p50)', value: ownMs, unit: 'ms' },
      { name: 'a whole run: /v1/chat/completions (p50)', value: doorMs, unit: 'ms' },
      { name: 'first token: on /api (p50)', value: ownFirst, unit: 'ms' },
      { name: 'first token: /v1/chat/completions (p50)', value: doorFirst, unit: 'ms' },
      { name: `${streams} chat streams at once: answers that lack a token`, value: crowd.lost, unit: '' },
      {
        name: `${streams} chat streams at once: memory that they add at most`,
        value: crowd.addedMb,
        unit: 'MB',
      },
    ],
    bars: [
      { promise: '/v1/chat/completions adds ≤ 2 ms to a run (p50)', isMet: doorMs - ownMs <= 2 },
      {
        promise: 'first token of /v1/chat/completions within 5 ms of the run on /api',
        isMet: doorFirst - ownFirst <= 5,
      },
      { promise: `${streams} chat streams at once: nothing lost`, isMet: crowd.lost === 0 },
      { promise: `${streams} chat streams at once: ≤ 60 MB`, isMet: crowd.addedMb <= 60 },
    ],
  };
}

/** Runs that keep their thread on `/api`, and the same runs as calls of an MCP tool. */
async function calls(): Promise<Measured> {
  const server = await startGateway();
  const token = await tokenOf(server);
  const authorization = `Bearer ${token}`;
  const ask = async (path: string, body: object, headers: Record<string, string> = {}): Promise<boolean> => {
    const answer = await fetch(new URL(path, server.gateway.url), {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return (await answer.text()).includes('echo: hello');
  };
  const own = () => ask('/api/runs/wait', { assistant_id: 'echo', input, on_completion: 'keep' });
  const door = () => ask('/mcp', mcpCall, mcpHeaders);
  const whole = (call: () => Promise<boolean>) => async (): Promise<void> => {
    if (!(await call())) throw new Error('A call has no answer.');
  };
  const sides = [whole(own), whole(door)];
  await inTurn(sides, callTimes / 4);
  const [ownMs = 0, doorMs = 0] = await inTurn(sides, callTimes);
  const crowd = await Promise.all(Array.from({ length: streams }, door));
  const lost = crowd.filter((isThere) => !isThere).length;
  await server.close();
  return {
    figures: [
      { name: 'a run that keeps its thread: on /api (p50)', value: ownMs, unit: 'ms' },
      { name: 'a run that keeps its thread: an MCP call (p50)', value: doorMs, unit: 'ms' },
      { name: `${streams} MCP calls at once: calls without their answer`, value: lost, unit: '' },
    ],
    bars: [
      { promise: 'an MCP call adds ≤ 2 ms to a run (p50)', isMet: doorMs - ownMs <= 2 },
      { promise: `${streams} MCP calls at once: nothing lost`, isMet: lost === 0 },
    ],
  };
}

/** Tokens of runs, one after the other, over LangGraph's second protocol and over AG-UI. */
async function events(): Promise<Measured> {
  const server = await startGateway();
  const token = await tokenOf(server);
  const post = (path: string, body: object): Promise<Response> =>
    fetch(new URL(path, server.gateway.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  let lost = 0;
  const sides = {
    protocol: () => server.client.follow({ threadId: randomUUID(), graph: 'fast' }, () => undefined),
    agUi: async () => {
      const { text } = await read(post, agUi('fast'), 'fast');
      lost += tokens - text.split(' ').length + 1;
    },
  };
  const perSecond: Record<keyof typeof sides, number[]> = { protocol: [], agUi: [] };
  for (let round = 0; round <= eventRounds; round += 1) {
    for (const side of ['protocol', 'agUi'] as const) {
      const started = performance.now();
      let runs = 0;
      await closedLoop({ clients: 1, seconds: eventSeconds }, async () => {
        await sides[side]();
        runs += 1;
      });
      // The first round warms up.
      if (round > 0) perSecond[side].push((runs / (performance.now() - started)) * 1_000 * tokens);
    }
  }
  await server.close();
  const [protocol, door] = [median(perSecond.protocol), median(perSecond.agUi)];
  return {
    figures: [
      { name: 'tokens over protocol v2, one client', value: protocol, unit: '/s' },
      { name: 'tokens over AG-UI, one client', value: door, unit: '/s' },
      { name: 'AG-UI of protocol v2', value: 100 * (door / protocol), unit: '%' },
      { name: 'tokens that did not come over AG-UI', value: lost, unit: '' },
    ],
    bars: [
      { promise: 'AG-UI: ≥ 80 % of the rate of protocol v2', isMet: door / protocol >= 0.8 },
      { promise: 'AG-UI: every token comes', isMet: lost === 0 },
    ],
  };
}

async function tokenOf({ session }: BenchGateway): Promise<string> {
  const scopes = ['conversation:read', 'conversation:write', 'mcp'];
  return (await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'doors', scopes })).token;
}

async function inTurn(calls: readonly (() => Promise<void>)[], times: number): Promise<number[]> {
  const took = calls.map((): number[] => []);
  for (let time = 0; time < times; time += 1) {
    for (const [index, call] of calls.entries()) {
      const started = performance.now();
      await call();
      took[index]?.push(performance.now() - started);
    }
  }
  return took.map(median);
}

/** Reads a whole stream, and notes when its first words came. */
async function read(
  post: (path: string, body: object) => Promise<Response>,
  { path, bodyOf, textOf }: Side,
  graph: string,
): Promise<{ text: string; firstMs: number }> {
  const started = performance.now();
  const answer = await post(path, bodyOf(graph));
  if (!answer.ok || !answer.body) throw new Error(`${path} answered ${answer.status}.`);
  let text = '';
  let firstMs = 0;
  let unread = '';
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const events = `${unread}${piece}`.split('\n\n');
    unread = events.pop() ?? '';
    for (const event of events) text += textOf(event);
    if (firstMs === 0 && text !== '') firstMs = performance.now() - started;
  }
  return { text, firstMs };
}

/** The same work with few streams comes first: what it leaves in memory is not theirs. */
async function crowdOf(
  { gateway }: BenchGateway,
  answer: () => Promise<{ text: string }>,
): Promise<{ lost: number; addedMb: number }> {
  for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: streams / 5 }, answer));
  const beforeMb = residentMb(gateway.pid);
  let peakMb = beforeMb;
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(gateway.pid));
  }, 50);
  const answers = await Promise.all(Array.from({ length: streams }, answer));
  clearInterval(sampling);
  const complete = Array.from({ length: tokens }, (_, index) => `t${index} `).join('');
  return { lost: answers.filter(({ text }) => text !== complete).length, addedMb: peakMb - beforeMb };
}

interface Rest {
  startCpuMs: number;
  idleMb: number;
}

/** A gateway whose door is not used, beside one that has none. */
async function atRest(): Promise<Measured> {
  const open: Rest[] = [];
  const closed: Rest[] = [];
  const home = temporaryFolder();
  await restOf(home.path, true);
  for (let round = 0; round < restRounds; round += 1) {
    // The first of two may find the machine in another state than the second, so each side is first as often.
    const sides = round % 2 === 0 ? [true, false] : [false, true];
    for (const isOpen of sides) (isOpen ? open : closed).push(await restOf(home.path, isOpen));
  }
  home.remove();
  // Whatever else happens on the machine only adds to it, so the least of all rounds says most.
  const least = (rests: readonly Rest[]) => Math.min(...rests.map(({ startCpuMs }) => startCpuMs));
  const startShare = least(open) / least(closed);
  const addedMb = median(open.map(({ idleMb }) => idleMb)) - median(closed.map(({ idleMb }) => idleMb));
  return {
    figures: [
      {
        name: `processor time of the start, least of ${restRounds}, beside without /v1`,
        value: 100 * startShare,
        unit: '%',
      },
      { name: 'memory of /v1 when it is not called', value: addedMb, unit: 'MB' },
    ],
    bars: [
      { promise: 'start ≤ 2 % more processor time than without /v1', isMet: startShare <= 1.02 },
      { promise: '/v1 when it is not called: ≤ 2 MB', isMet: addedMb <= 2 },
    ],
  };
}

async function restOf(home: string, isOpen: boolean): Promise<Rest> {
  const env = { SWITCHYARD__DOORS__OPENAI__ENABLED: String(isOpen) };
  const gateway = await SpawnedGateway.start({ home, env });
  const startCpuMs = mainThreadMs(gateway.pid);
  await sleep(settleMs);
  const idleMb = residentMb(gateway.pid);
  await gateway.stop();
  return { startCpuMs, idleMb };
}
