import type { ChannelConfig } from '../config/channels.ts';

/** An account by its e-mail address or its id; null where there is none that may sign in. */
export type FindAccount = (name: string) => Promise<{ userId: string } | null>;

/**
 * On whose behalf a sender acts: the account that the configuration names for them, or the channel's own where they are
 * allowed to. Null for everybody else. Asked for each message anew, so that a disabled account is out at once.
 */
export async function accountOfSender(
  channel: Pick<ChannelConfig, 'user' | 'users' | 'allowed_users'>,
  sender: string,
  findAccount: FindAccount,
): Promise<string | null> {
  const account = nameOfAccount(channel, sender);
  return account === null ? null : ((await findAccount(account))?.userId ?? null);
}

function nameOfAccount(
  { user, users, allowed_users: allowed }: Pick<ChannelConfig, 'user' | 'users' | 'allowed_users'>,
  sender: string,
): string | null {
  if (Object.hasOwn(users, sender)) return users[sender] ?? null;
  return allowed.includes(sender) || allowed.includes('*') ? user : null;
}
