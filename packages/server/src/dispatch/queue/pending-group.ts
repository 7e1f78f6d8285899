import type { Requirement } from '../graphs/capability.ts';
import { MinHeap } from './min-heap.ts';
import { isOlder, type PendingEntry, type PendingTask } from './pending-entry.ts';
import { PendingLine } from './pending-line.ts';
import type { FairShare } from './scheduling.ts';

/** An owner's place in a group's order. Virtual time only grows, so an outdated ticket can only stand too far ahead. */
interface Ticket {
  owner: string;
  virtualTime: number;
  head: PendingEntry;
}

interface OwnerLine {
  line: PendingLine;
  /** The valid ticket; other tickets of this owner in the heap were replaced by it. */
  ticket: Ticket;
}

export interface Candidate {
  entry: PendingEntry;
  virtualTime: number;
}

/**
 * The waiting tasks with equal requirement and priority that avoid the same instances: one line for each owner, with
 * the owners in order of their share.
 */
export class PendingGroup {
  readonly key: string;
  readonly requirement: Requirement;
  readonly #avoided: ReadonlySet<string>;
  readonly #owners = new Map<string, OwnerLine>();
  #tickets = new MinHeap<Ticket>(isTicketBefore);

  /** Takes any task of the group: the others need and avoid the same. */
  constructor(key: string, { requirement, avoids }: Pick<PendingTask, 'requirement' | 'avoids'>) {
    this.key = key;
    this.requirement = requirement;
    this.#avoided = new Set(avoids.map(({ instanceId }) => instanceId));
  }

  avoids(instanceId: string): boolean {
    return this.#avoided.has(instanceId);
  }

  /** The line of each owner who waits here. */
  *lines(): Generator<[owner: string, line: PendingLine], void, undefined> {
    for (const [owner, { line }] of this.#owners) yield [owner, line];
  }

  get isEmpty(): boolean {
    return this.#owners.size === 0;
  }

  add(entry: PendingEntry, share: FairShare): void {
    const { owner } = entry.task;
    const known = this.#owners.get(owner);
    const line = known?.line ?? new PendingLine();
    line.add(entry);
    if (!known) this.#owners.set(owner, { line, ticket: this.#issueTicket(owner, entry, share) });
    else if (line.first === entry) known.ticket = this.#issueTicket(owner, entry, share);
  }

  remove(entry: PendingEntry): void {
    const { owner } = entry.task;
    const line = this.#owners.get(owner)?.line;
    line?.remove(entry);
    if (line?.first === null) this.#owners.delete(owner);
  }

  /** The first task of the owner whose turn it is, among owners who may be served. */
  next(share: FairShare, mayServe: (owner: string) => boolean): Candidate | null {
    const passedOver: Ticket[] = [];
    let next = this.#firstTicket(share);
    while (next && !mayServe(next.owner)) {
      passedOver.push(next);
      this.#tickets.pop();
      next = this.#firstTicket(share);
    }
    for (const ticket of passedOver) this.#tickets.push(ticket);
    return next && { entry: next.head, virtualTime: next.virtualTime };
  }

  /** Replaces outdated tickets on top until the top one is valid. */
  #firstTicket(share: FairShare): Ticket | null {
    for (let ticket = this.#tickets.peek(); ticket; ticket = this.#tickets.peek()) {
      const { owner } = ticket;
      const known = this.#owners.get(owner);
      const head = known?.line.first;
      const isCurrent = known?.ticket === ticket;
      const virtualTime = share.virtualTime(owner);
      if (isCurrent && head && ticket.head === head && ticket.virtualTime === virtualTime) return ticket;
      this.#tickets.pop();
      if (isCurrent && head) known.ticket = this.#issueTicket(owner, head, share);
    }
    return null;
  }

  lineOf(owner: string): PendingLine | undefined {
    return this.#owners.get(owner)?.line;
  }

  #issueTicket(owner: string, head: PendingEntry, share: FairShare): Ticket {
    if (this.#tickets.size > 2 * this.#owners.size + 64) this.#discardStaleTickets();
    const ticket = { owner, virtualTime: share.virtualTime(owner), head };
    this.#tickets.push(ticket);
    return ticket;
  }

  #discardStaleTickets(): void {
    this.#tickets = new MinHeap(isTicketBefore);
    for (const { ticket } of this.#owners.values()) this.#tickets.push(ticket);
  }
}

function isTicketBefore(a: Ticket, b: Ticket): boolean {
  return a.virtualTime === b.virtualTime ? isOlder(a.head, b.head) : a.virtualTime < b.virtualTime;
}
