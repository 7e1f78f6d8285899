import type { ChannelConfig } from '../config/channels.ts';

/** Finds an account by its e-mail address or its id; returns null when no account that may sign in has it. */
export type FindAccount = (name: string) => Promise<{ userId: string } | null>;

/**
 * Returns the account for which a sender acts: the one that the configuration names for them, or the channel's own when they are
 * allowed to use it. Returns null for all other senders. It is asked for each message, so a disabled account loses access at
 * once.
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
