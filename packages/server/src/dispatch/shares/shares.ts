import type { NewShare, ReceivedShare, Share, ShareKind } from '@switchyard/contract/dispatch/share';
import { emailFaults, normalEmail, throwFaults } from '../../accounts/email.ts';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { Reader } from '../links.ts';
import {
  everyone,
  type NamedShareRow,
  type ReceivedRow,
  type ShareRow,
  type ShareStore,
} from './share-store.ts';

/** Far more than a person keeps in view, and too few to fill the table. */
const maxShares = 5_000;

interface Page {
  kind?: ShareKind | undefined;
  limit: number;
  offset: number;
}

/** What owners let others read and run. */
export class Shares {
  readonly #options;

  constructor(
    options: Pick<DispatchParts, 'audit' | 'links' | 'findUser' | 'emailsOf' | 'events' | 'clock'> & {
      store: ShareStore;
    },
  ) {
    this.#options = options;
  }

  /** The answer does not show whether an account has the address: without one, the share opens the thing to no one. */
  async give(actor: Actor, { kind, subjectId, to, may = 'read' }: NewShare): Promise<Share> {
    const { store, audit, clock } = this.#options;
    if (may === 'run' && kind !== 'workflow') throw invalid(['may'], 'Only workflows can be run. Use read.');
    const grantee = await this.#granteeOf(actor, to);
    const row = {
      id: newTimeOrderedId(clock()),
      kind,
      subjectId,
      owner: actor.id,
      granteeKind: to.kind,
      ...grantee,
      may,
      createdAt: toIso(clock()),
    };
    const share = await store.give(row, {
      max: maxShares,
      record: ({ id }) =>
        audit.part(actor, {
          action: 'share.given',
          target: ['share', id],
          details: { kind, subject: subjectId, to: grantee.grantee || everyone, may },
        }),
    });
    if (!share) throw new AppError(`${kind}_not_found`);
    this.#announce(share);
    return viewShare(share);
  }

  /** Its owner takes a share back, a receiver gives it away, and an administrator may do both. */
  async takeBack(owner: Owner, actor: Actor, shareId: string): Promise<void> {
    const { store, audit } = this.#options;
    const taken = await store.takeBack(owner, shareId, ({ id, kind, subjectId, owner: of, grantee }) =>
      audit.part(actor, {
        action: 'share.taken_back',
        target: ['share', id],
        details: { kind, subject: subjectId, owner: of, to: grantee || everyone },
      }),
    );
    this.#announce(taken);
  }

  /** Tells its owner and who has it. An address without an account is no one. */
  #announce({ owner, granteeId, kind, subjectId }: ShareRow): void {
    const listeners = granteeId === everyone ? [null] : [owner, ...(granteeId === null ? [] : [granteeId])];
    for (const each of listeners)
      this.#options.events.announce({ type: 'share_changed', owner: each, kind, subjectId });
  }

  async list(
    owner: string,
    page: Page & { subjectId?: string | undefined },
  ): Promise<{ total: number; items: Share[] }> {
    const { total, rows } = await this.#options.store.list(owner, page);
    return { total, items: rows.map(viewShare) };
  }

  async received(
    { userId, origin }: { userId: string; origin: Reader['origin'] },
    page: Page,
  ): Promise<{ total: number; items: ReceivedShare[] }> {
    const { store, emailsOf } = this.#options;
    const { total, rows } = await store.received(userId, page);
    const emails = await emailsOf(rows.map(({ owner }) => owner));
    return {
      total,
      items: rows.map((row) => this.#viewReceived(row, { from: emails.get(row.owner), origin })),
    };
  }

  async #granteeOf(actor: Actor, to: NewShare['to']): Promise<{ grantee: string; granteeId: string | null }> {
    const { email } = to;
    if (to.kind === 'everyone') {
      if (email !== undefined) throw invalid(['to', 'email'], 'Leave the address out: everyone has it.');
      return { grantee: '', granteeId: everyone };
    }
    if (email === undefined) throw invalid(['to', 'email'], 'Name the e-mail address of the person.');
    throwFaults(emailFaults(email, 'to').map((fault) => ({ ...fault, path: ['to', 'email'] })));
    const grantee = normalEmail(email);
    const found = await this.#options.findUser(grantee);
    if (found?.userId === actor.id) throw invalid(['to', 'email'], 'This is you: it is yours already.');
    return { grantee, granteeId: found?.userId ?? null };
  }

  #viewReceived(
    { kind, subjectId, may, sharedAt, workflow, collection, tool, file }: ReceivedRow,
    { from = '', origin }: { from: string | undefined; origin: string | undefined },
  ): ReceivedShare {
    const { filename = '', ...facts } = file ?? {};
    return {
      kind,
      subjectId,
      name: workflow?.name ?? collection?.name ?? filename,
      description: workflow?.description ?? '',
      from,
      may,
      sharedAt,
      items: collection?.itemCount ?? null,
      tool: workflow && may === 'run' ? tool : null,
      file: file && {
        ...(facts as typeof file),
        url: this.#options.links.withoutSignature({ fileId: subjectId, filename }, origin),
      },
    };
  }
}

function viewShare({
  id,
  kind,
  subjectId,
  name,
  owner,
  granteeKind,
  grantee,
  may,
  createdAt,
}: NamedShareRow): Share {
  const email = granteeKind === 'person' ? grantee : null;
  return { id, kind, subjectId, name, owner, to: { kind: granteeKind, email }, may, createdAt };
}

function invalid(path: string[], message: string): AppError {
  return new AppError('validation_failed', {
    faults: [{ in: 'body', path, message, type: 'value_error' }],
  });
}
