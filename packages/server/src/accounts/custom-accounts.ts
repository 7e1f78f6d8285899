import { AppError } from '../lib/app-error.ts';
import type { Owner } from '../lib/owner.ts';
import { customAccountRow } from './account.ts';
import type { AccountParts } from './account-parts.ts';
import type { AccountRow, AccountStore } from './account-store.ts';

const owner: Owner = { system: 'custom authentication' };

/** The accounts of callers whom the operator's own authentication lets in: one for each identity, made at its first request. */
export class CustomAccounts {
  readonly #options;

  constructor(
    options: Pick<AccountParts, 'events' | 'audit' | 'clock'> & {
      store: Pick<AccountStore, 'findCustom' | 'insert'>;
    },
  ) {
    this.#options = options;
  }

  /** Throws when an administrator has disabled the account. */
  async of(identity: string, requestId: string): Promise<AccountRow> {
    const account = (await this.#find(identity)) ?? (await this.#create(identity, requestId));
    if (account.disabled) throw new AppError('token_invalid', { message: 'Account disabled' });
    return account;
  }

  /** Two first requests at the same moment make one account: the unique index refuses the second row. */
  async #create(identity: string, requestId: string): Promise<AccountRow> {
    const { store, events, audit, clock } = this.#options;
    const account = customAccountRow(identity, clock());
    const actor = { id: account.id, name: account.email, via: 'custom_auth', requestId } as const;
    const record = audit.part(actor, {
      action: 'user.registered',
      target: ['user', account.id],
      details: { identity },
    });
    if (await store.insert(owner, account, record)) {
      events.record('registered', { user_id: account.id });
      return account;
    }
    const present = await this.#find(identity);
    if (!present) throw new Error('The account of a custom identity was deleted while it was made.');
    return present;
  }

  #find(identity: string): Promise<AccountRow | undefined> {
    return this.#options.store.findCustom(owner, identity);
  }
}
