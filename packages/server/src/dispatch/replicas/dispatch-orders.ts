import { probeCauses, workerReport } from '@switchyard/contract/dispatch/instance';
import { sentenceList } from '@switchyard/contract/sentences/sentence';
import { nullable, oneOf } from '@switchyard/contract/shapes';
import { type Static, Type } from 'typebox';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { newId } from '../../lib/ids.ts';
import { type Bus, type BusEvent, busTopic } from '../../platform/bus/bus.ts';

/**
 * Orders that only the dispatcher can carry out. The rows have the same facts, so a sweep finds an order that is lost.
 */
const order = Type.Union([
  Type.Object({ kind: Type.Literal('stop'), taskId: Type.String() }),
  /**
   * Asks for previews and reports of nodes for a short time, for the tasks of these users or of all. Every replica
   * keeps the request, since it may become the dispatcher.
   */
  Type.Object({
    kind: Type.Literal('previews'),
    owners: Type.Union([Type.Array(Type.String()), Type.Null()]),
  }),
  /** Asks which nodes of this user's tasks run. */
  Type.Object({ kind: Type.Literal('running'), owner: Type.String() }),
  Type.Object({ kind: Type.Literal('test'), instanceId: Type.String() }),
  Type.Object({ kind: Type.Literal('refresh') }),
]);
export type Order = Static<typeof order>;

const latencyMs = Type.Number();
const testedInstance = Type.Object({
  outcome: Type.Union([
    Type.Object({
      ok: Type.Literal(true),
      latencyMs,
      ...workerReport.properties,
      queueRemaining: Type.Number(),
    }),
    Type.Object({
      ok: Type.Literal(false),
      latencyMs,
      cause: oneOf(probeCauses),
      message: Type.String(),
    }),
  ]),
  untold: nullable(Type.String()),
  /** The outcome or `untold` as codes. A replica of an earlier version sends none. */
  sentences: Type.Optional(sentenceList),
});

const runningNode = Type.Object({ taskId: Type.String(), nodeId: Type.String(), topNodeId: Type.String() });

/** The result of a test, true for a refresh, or the nodes that run; null when there is nothing to report. */
const answer = Type.Union([testedInstance, Type.Literal(true), Type.Array(runningNode), Type.Null()]);
export type Answer = Static<typeof answer>;

const message = Type.Union([
  Type.Object({ from: Type.String(), order, ask: nullable(Type.String()) }),
  Type.Object({ to: Type.String(), ask: Type.String(), answer }),
]);
type Message = Static<typeof message>;

const ordersTopic = busTopic('dispatch.orders', message);

/** Carries out an order; what it returns is the answer for a caller that waits. */
export type CarryOut = (order: Order, from: string) => Promise<Answer>;

/** The limit of questions that wait for an answer, and of orders that are carried out at a time. */
const maxAtOnce = 200;

/** Orders from any replica to the one that is the dispatcher, and its answers. */
export class DispatchOrders {
  readonly #options;
  readonly #timer: Timer;
  readonly #closing = new AbortController();
  readonly #asks = new Map<string, (answer: Answer) => void>();
  #carriedOut = 0;
  #listening: Promise<void> = Promise.resolve();

  constructor(options: {
    bus: Pick<Bus, 'publish' | 'subscribe'>;
    /** The name of this replica. */
    self: string;
    onFault: (error: unknown) => void;
    timer?: Timer;
  }) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  /** `carryOut` is called in the replica that is the dispatcher, and for `previews` in each. */
  async start({
    carryOut,
    isDispatcher,
  }: {
    carryOut: CarryOut;
    isDispatcher: () => boolean;
  }): Promise<void> {
    const { bus } = this.#options;
    const events = await bus.subscribe(ordersTopic, { signal: this.#closing.signal });
    this.#listening = this.#listen(events, (order, from) =>
      isDispatcher() || order.kind === 'previews' ? carryOut(order, from) : null,
    );
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#listening;
  }

  send(order: Order): void {
    this.#publish({ from: this.#options.self, order, ask: null });
  }

  /** Returns the answer of the dispatcher, or null when none comes in time. */
  async ask(order: Order, { waitMs }: { waitMs: number }): Promise<Answer> {
    if (this.#asks.size >= maxAtOnce || this.#closing.signal.aborted) return null;
    const ask = newId();
    const { signal } = this.#closing;
    const answer = await new Promise<Answer>((resolve) => {
      const end = (given: Answer): void => {
        stop();
        signal.removeEventListener('abort', giveUp);
        this.#asks.delete(ask);
        resolve(given);
      };
      const giveUp = (): void => end(null);
      const stop = this.#timer(giveUp, waitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#asks.set(ask, end);
      this.#publish({ from: this.#options.self, order, ask });
    });
    return answer;
  }

  #publish(message: Message): void {
    const { bus, onFault } = this.#options;
    bus.publish(ordersTopic, message).catch(onFault);
  }

  async #listen(
    events: AsyncIterable<BusEvent<Message>>,
    carryOut: (order: Order, from: string) => Promise<Answer> | null,
  ): Promise<void> {
    for await (const event of events) {
      // The rows have the orders that a gap has swallowed.
      if (event.type === 'gap') continue;
      const message = event.message;
      if ('answer' in message) this.#take(message);
      else if (message.from !== this.#options.self) this.#obey(message, carryOut);
    }
  }

  #take({ to, ask, answer }: Extract<Message, { to: string }>): void {
    if (to === this.#options.self) this.#asks.get(ask)?.(answer);
  }

  #obey(
    { from, order, ask }: Extract<Message, { order: Order }>,
    carryOut: (order: Order, from: string) => Promise<Answer> | null,
  ): void {
    if (this.#carriedOut >= maxAtOnce) return;
    const carried = carryOut(order, from);
    if (carried === null) return;
    this.#carriedOut += 1;
    carried
      .then((answer) => {
        if (ask !== null) this.#publish({ to: from, ask, answer });
      }, this.#options.onFault)
      .finally(() => {
        this.#carriedOut -= 1;
      });
  }
}
