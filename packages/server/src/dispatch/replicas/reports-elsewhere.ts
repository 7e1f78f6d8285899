import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { Bus, BusEvent } from '../../platform/bus/bus.ts';
import type { DispatchEvent, TaskPreview } from '../dispatch-events.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { DispatchOrders } from './dispatch-orders.ts';
import { type PreviewPart, PreviewParts, partsOf, previewsTopic } from './preview-parts.ts';

const lookEveryMs = 1_000;
const askEveryMs = 5_000;
/** A replica that has not asked again for so long wants none any more. */
const wantedForMs = 12_000;
const maxReplicas = 100;
/** Beyond this number of users, the reports of all users are asked for. */
const maxOwners = 100;

/**
 * Previews and reports of nodes go to another replica only while a socket there wants them. Every replica receives the
 * requests of the others, so a new dispatcher has them already.
 */
export class ReportsElsewhere {
  readonly #options;
  readonly #timer: Timer;
  /** The reports that other replicas have asked this one for. */
  readonly #wanted = new Map<string, { owners: ReadonlySet<string> | null; untilMs: number }>();
  /** Tasks of which a preview is on its way; a newer one is dropped meanwhile. */
  readonly #sending = new Set<string>();
  readonly #parts = new PreviewParts();
  #asked = { owners: '', atMs: Number.NEGATIVE_INFINITY };
  #subscribed: { closing: AbortController; listening: Promise<void> } | null = null;
  #stopTimer: () => void = () => undefined;
  #stopListening: () => void = () => undefined;
  #isClosed = false;

  constructor(
    options: Pick<DispatchParts, 'events' | 'steadyClock'> & {
      bus: Pick<Bus, 'publish' | 'subscribe'>;
      orders: Pick<DispatchOrders, 'send'>;
      /** Sends a report of a node to the other replicas. */
      report: (event: DispatchEvent & { type: 'task_execution' }) => void;
      isDispatcher: () => boolean;
      timer?: Timer;
      onFault: (error: unknown) => void;
    },
  ) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  start(): void {
    this.#stopListening = this.#options.events.listenHere((event) => {
      if (event.type === 'task_preview') this.#send(event);
      if (event.type === 'task_execution' && this.#isWanted(event.owner)) this.#options.report(event);
    });
    this.#plan();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    this.#stopListening();
    const listening = this.#subscribed?.listening;
    this.#unsubscribe();
    await listening;
  }

  /** Another replica wants the reports of these users, for some seconds. */
  want(replica: string, owners: string[] | null): void {
    const { steadyClock } = this.#options;
    this.#wanted.delete(replica);
    this.#wanted.set(replica, {
      owners: owners && new Set(owners),
      untilMs: steadyClock() + wantedForMs,
    });
    const [oldest] = this.#wanted.keys();
    if (this.#wanted.size > maxReplicas && oldest !== undefined) this.#wanted.delete(oldest);
  }

  #plan(): void {
    if (this.#isClosed) return;
    this.#stopTimer = this.#timer(() => {
      this.look();
      this.#plan();
    }, lookEveryMs);
  }

  /** Asks for what the sockets of this replica want. A socket that has just come does not wait for the next look. */
  look(): void {
    const { events, isDispatcher, orders, steadyClock } = this.#options;
    const wanted = events.reportsWanted;
    if (wanted?.length === 0) {
      this.#asked = { owners: '', atMs: Number.NEGATIVE_INFINITY };
      this.#unsubscribe();
      return;
    }
    if (isDispatcher()) this.#unsubscribe();
    else this.#subscribe();
    const owners = wanted && wanted.length > maxOwners ? null : wanted;
    const shown = JSON.stringify(owners);
    if (shown === this.#asked.owners && steadyClock() - this.#asked.atMs < askEveryMs) return;
    this.#asked = { owners: shown, atMs: steadyClock() };
    orders.send({ kind: 'previews', owners });
  }

  #subscribe(): void {
    if (this.#subscribed) return;
    const closing = new AbortController();
    const listening = this.#options.bus
      .subscribe(previewsTopic, { signal: closing.signal })
      .then((events) => this.#listen(events))
      .catch(this.#options.onFault);
    this.#subscribed = { closing, listening };
  }

  #unsubscribe(): void {
    this.#subscribed?.closing.abort();
    this.#subscribed = null;
  }

  async #listen(events: AsyncIterable<BusEvent<PreviewPart>>): Promise<void> {
    for await (const event of events) {
      // The next preview replaces one that was lost.
      if (event.type === 'gap') continue;
      const part = event.message;
      const preview = this.#options.isDispatcher() ? null : this.#parts.add(part);
      const { taskId, owner } = part;
      if (preview) this.#options.events.passOn({ type: 'task_preview', taskId, owner, preview });
    }
  }

  #isWanted(owner: string): boolean {
    if (this.#wanted.size === 0) return false;
    const nowMs = this.#options.steadyClock();
    for (const [replica, { owners, untilMs }] of this.#wanted) {
      if (untilMs < nowMs) this.#wanted.delete(replica);
      else if (owners === null || owners.has(owner)) return true;
    }
    return false;
  }

  #send({ taskId, owner, preview }: { taskId: string; owner: string; preview: TaskPreview }): void {
    if (this.#sending.has(taskId) || !this.#isWanted(owner)) return;
    this.#sending.add(taskId);
    this.#publish(partsOf(taskId, owner, preview))
      .catch(this.#options.onFault)
      .finally(() => this.#sending.delete(taskId));
  }

  async #publish(parts: readonly PreviewPart[]): Promise<void> {
    for (const part of parts) await this.#options.bus.publish(previewsTopic, part);
  }
}
