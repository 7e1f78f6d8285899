import { type Clock, toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { WriteTransaction } from '../database/database.ts';
import type { AuditPage, AuditRow, AuditStore } from './audit-store.ts';

/** The user who makes a change. */
export interface Actor {
  /** The id of the account. */
  id: string;
  /** Its e-mail address. */
  name: string;
  /** The credential with which the actor signed in; `password` for an account that is made by its user. */
  via: 'cookie' | 'bearer' | 'access_token' | 'custom_auth' | 'own_code' | 'password' | 'system';
  requestId: string | null;
}

/** The actor of changes that no user asked for, and of commands that work without the gateway. */
export function systemActor(name: string): Actor {
  return { id: 'system', name, via: 'system', requestId: null };
}

/** Writes a record as part of the unit of any area. */
export type AuditPart = <Tables>(trx: WriteTransaction<Tables>) => Promise<void>;

/** For a change that needs no record, such as one of a user's own tasks. */
export const noRecord: AuditPart = async () => undefined;

type Fact = string | number | boolean | null | readonly string[];

export interface AuditEntry {
  /** A word for the kind of thing and one for what happened to it: `user.created`. */
  action: string;
  /** The kind and the id of the thing; null when the action is about no single thing. */
  target: readonly [kind: string, id: string] | null;
  /** Facts about the change. Never a password, a token or another secret. */
  details?: Readonly<Record<string, Fact | undefined>>;
}

/** Longer texts and lists are cut: a record names a change, and the thing itself has the rest. */
const maxTextLength = 1_000;
const maxListLength = 50;
const maxTargetLength = 400;

/** The record of who changed what. A record is written in the unit of its change. */
export class Audit {
  readonly #store: AuditStore;
  readonly #clock: Clock;

  constructor(store: AuditStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Part of the caller's unit: the record exists if and only if the change is committed. */
  async record<Tables>(trx: WriteTransaction<Tables>, actor: Actor, entry: AuditEntry): Promise<void> {
    await this.#store.insert(trx, this.#row(actor, entry));
  }

  /** Does what `record` does, for a store that takes the part along in its unit. */
  part(actor: Actor, entry: AuditEntry): AuditPart {
    return (trx) => this.record(trx, actor, entry);
  }

  /** For a change that is not in the database: the record is a unit of its own, after the change. */
  async add(actor: Actor, entry: AuditEntry): Promise<void> {
    await this.#store.add(this.#row(actor, entry));
  }

  /** The newest first. */
  async page(page: AuditPage): Promise<AuditRow[]> {
    return this.#store.page(page);
  }

  async forgetOlderThan(ageMs: number): Promise<void> {
    await this.#store.deleteBefore(this.#clock() - ageMs);
  }

  #row(actor: Actor, { action, target, details = {} }: AuditEntry): AuditRow {
    const now = this.#clock();
    return {
      id: newTimeOrderedId(now),
      at: toIso(now),
      actor: actor.id,
      actorName: actor.name,
      via: actor.via,
      action,
      target: target?.join(':').slice(0, maxTargetLength) ?? null,
      details: JSON.stringify(
        Object.fromEntries(Object.entries(details).map(([name, fact]) => [name, bounded(fact)])),
      ),
      requestId: actor.requestId,
    };
  }
}

function bounded(fact: Fact | undefined): Fact | undefined {
  if (typeof fact === 'string') return fact.slice(0, maxTextLength);
  if (typeof fact !== 'object' || fact === null) return fact;
  return fact.slice(0, maxListLength).map((text) => text.slice(0, maxTextLength));
}
