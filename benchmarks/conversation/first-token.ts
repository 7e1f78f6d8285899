import type { Figure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';
import { type BenchGateway, startGateway } from './agent-servers.ts';
import { type BareLoop, startBareGraph } from './bare-graph.ts';
import { closedLoop } from './closed-loop.ts';
import { startPeer } from './peer-process.ts';
import { tokenOf, tokenOfEvent } from './token-frames.ts';

interface FirstTokenOptions {
  crowds: readonly number[];
  rounds: number;
  roundSeconds: number;
  warmUpSeconds: number;
}

interface Loop {
  clients: number;
  seconds: number;
}

/** In milliseconds, from the request on. */
export interface AnswerTimes {
  firstP50: number;
  firstP95: number;
  wholeP50: number;
  wholeMax: number;
}

export interface FirstToken {
  clients: number;
  /** The gateway over version 1 of the protocol. */
  first: AnswerTimes;
  /** Over version 2, whose event stream was open before. */
  second: AnswerTimes;
  /** Over version 2, whose event stream is asked for in the same moment, on a new connection. */
  opening: AnswerTimes;
  bare: AnswerTimes;
}

const sides = ['first', 'second', 'opening', 'bare'] as const;
type Side = (typeof sides)[number];

/**
 * The answers of a model that is asked over HTTP, from the request on. The gateway and the bare graph call the same provider,
 * in turns and warmed up equally long.
 */
export async function firstTokens(options: FirstTokenOptions): Promise<FirstToken[]> {
  const provider = await startPeer('paced-provider.mjs');
  const gateway = await startGateway({}, { provider: provider.says });
  const bare = await startBareGraph({ BENCH_PROVIDER: provider.says });
  const take = {
    first: (loop: Loop) => answersOf(gateway, 'first', loop),
    second: (loop: Loop) => answersOf(gateway, 'second', loop),
    opening: (loop: Loop) => answersOf(gateway, 'opening', loop),
    bare: async (loop: Loop) =>
      timesOfBare(await bare.loop({ graph: 'answering', streamMode: ['messages'], ...loop })),
  };
  const results: FirstToken[] = [];
  for (const clients of options.crowds) {
    for (const side of sides) await take[side]({ clients, seconds: options.warmUpSeconds });
    const taken: Record<Side, AnswerTimes[]> = { first: [], second: [], opening: [], bare: [] };
    for (let round = 0; round < options.rounds; round += 1)
      for (const side of sides)
        taken[side].push(await take[side]({ clients, seconds: options.roundSeconds }));
    results.push({
      clients,
      first: ofRounds(taken.first),
      second: ofRounds(taken.second),
      opening: ofRounds(taken.opening),
      bare: ofRounds(taken.bare),
    });
  }
  await gateway.close();
  bare.stop();
  provider.stop();
  return results;
}

export function figuresOf(tokens: readonly FirstToken[]): Figure[] {
  return tokens.flatMap(({ clients, ...times }): Figure[] => {
    const names: Record<Side, string> = {
      first: 'gateway, version 1',
      second: 'gateway, protocol v2',
      opening: 'gateway, protocol v2 with a stream that is only being opened',
      bare: 'bare graph',
    };
    return sides.flatMap((side): Figure[] => [
      {
        name: `${names[side]}, first token of a model over HTTP, ${clients} at once, p50`,
        value: times[side].firstP50,
        unit: 'ms',
      },
      { name: `${names[side]}, the same, p95`, value: times[side].firstP95, unit: 'ms' },
      { name: `${names[side]}, the whole answer, p50`, value: times[side].wholeP50, unit: 'ms' },
      { name: `${names[side]}, the slowest whole answer`, value: times[side].wholeMax, unit: 'ms' },
    ]);
  });
}

/** The median round, and the slowest answer of all rounds. */
function ofRounds(rounds: readonly AnswerTimes[]): AnswerTimes {
  return {
    firstP50: median(rounds.map(({ firstP50 }) => firstP50)),
    firstP95: median(rounds.map(({ firstP95 }) => firstP95)),
    wholeP50: median(rounds.map(({ wholeP50 }) => wholeP50)),
    wholeMax: Math.max(...rounds.map(({ wholeMax }) => wholeMax)),
  };
}

function timesOfBare({ firstTokenMsP50, firstTokenMsP95, wholeMsP50, wholeMsMax }: BareLoop): AnswerTimes {
  return {
    firstP50: firstTokenMsP50,
    firstP95: firstTokenMsP95,
    wholeP50: wholeMsP50,
    wholeMax: wholeMsMax,
  };
}

/**
 * The threads exist before the clock starts, so only what asks for the answer is measured. Each client is a user with connections of
 * its own, which a browser keeps open for its next request.
 */
async function answersOf(
  { gateway, clientAt }: BenchGateway,
  side: Exclude<Side, 'bare'>,
  loop: Loop,
): Promise<AnswerTimes> {
  const firstMs: number[] = [];
  const wholeMs: number[] = [];
  const users = Array.from({ length: loop.clients }, () => clientAt(gateway.url));
  await closedLoop(loop, async (user) => {
    const client = users[user];
    if (!client) throw new Error('A client has no connection.');
    const threadId = await client.createThread();
    let started = performance.now();
    let first: number | undefined;
    const hear = (token: string | undefined): void => {
      if (token !== undefined) first ??= performance.now() - started;
    };
    const run = { threadId, graph: 'answering' };
    if (side === 'first')
      await client.stream({ ...run, streamMode: ['messages-tuple'] }, (frame) => hear(tokenOf(frame)));
    else if (side === 'opening') await client.followFirst(run, (frame) => hear(tokenOfEvent(frame)));
    else
      await client.followBefore(
        run,
        () => {
          started = performance.now();
        },
        (frame) => hear(tokenOfEvent(frame)),
      );
    if (first === undefined) throw new Error('A stream held no token.');
    firstMs.push(first);
    wholeMs.push(performance.now() - started);
  });
  for (const user of users) user.close();
  return {
    firstP50: median(firstMs),
    firstP95: percentile(firstMs, 95),
    wholeP50: median(wholeMs),
    wholeMax: Math.max(...wholeMs),
  };
}
