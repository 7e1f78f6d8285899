import type { Fleet } from '../fleet/fleet.ts';
import type { TestedInstance } from '../fleet/fleet-member.ts';
import type { Answer, CarryOut, DispatchOrders, Order } from './dispatch-orders.ts';
import type { NewsReader } from './news-reader.ts';
import type { NewsSender } from './news-sender.ts';
import type { ReportsElsewhere } from './reports-elsewhere.ts';
import type { RunningNodes } from './running-nodes.ts';

/** The time for which a test waits for an instance that was added a moment ago. */
const ownerWaitMs = 5_000;

/** Sends the other replicas what happens here, and takes in what happens there. */
export class Replicas {
  readonly #options;

  constructor(options: {
    sender: NewsSender;
    reader: NewsReader;
    orders: DispatchOrders;
    reports: ReportsElsewhere;
    running: Pick<RunningNodes, 'here'>;
    fleet: Pick<Fleet, 'cancel' | 'member' | 'refreshOffers'>;
    isDispatcher: () => boolean;
  }) {
    this.#options = options;
  }

  /** Resolves once this replica receives the news of the others. */
  async start(): Promise<void> {
    const { reader, orders, reports, isDispatcher } = this.#options;
    await reader.start();
    await orders.start({ carryOut: this.#carryOut, isDispatcher });
    reports.start();
  }

  /** Called for a new socket that wants to see what runs. */
  look(): void {
    this.#options.reports.look();
  }

  async close(): Promise<void> {
    const { sender, reader, orders, reports } = this.#options;
    await reports.close();
    await orders.close();
    await reader.close();
    await sender.close();
  }

  readonly #carryOut: CarryOut = async (order: Order, from: string): Promise<Answer> => {
    const { fleet, reports, running } = this.#options;
    switch (order.kind) {
      case 'stop':
        fleet.cancel(order.taskId);
        return null;
      case 'previews':
        reports.want(from, order.owners);
        return null;
      case 'running':
        return running.here(order.owner);
      case 'refresh':
        await fleet.refreshOffers();
        return true;
      case 'test':
        return (await fleet.member(order.instanceId)?.test({ waitMs: ownerWaitMs })) ?? null;
    }
  };
}

/** Asks the dispatcher, another replica, about its instances. */
export class InstancesElsewhere {
  readonly #orders: Pick<DispatchOrders, 'ask'>;

  constructor(orders: Pick<DispatchOrders, 'ask'>) {
    this.#orders = orders;
  }

  /** Returns null when no dispatcher has answered. */
  async test(instanceId: string): Promise<TestedInstance | null> {
    const answer = await this.#orders.ask({ kind: 'test', instanceId }, { waitMs: testWaitMs });
    return answer === true || Array.isArray(answer) ? null : answer;
  }

  /** Resolves when the dispatcher has asked its instances what they can run, or after a while. */
  async refresh(waitMs: number): Promise<void> {
    await this.#orders.ask({ kind: 'refresh' }, { waitMs });
  }
}

/** A probe has a time limit of its own; then the worker reports what it can run. */
const testWaitMs = 15_000;
