import {
  applyThreadRetention,
  previewThreadRetention,
} from '@switchyard/contract/conversation/thread-retention';
import { actorOf } from '../../http/access/actor.ts';
import type { Routes } from '../../http/app.ts';
import { AppError } from '../../lib/app-error.ts';
import { secondMs } from '../../lib/time-units.ts';
import type { Chosen, ThreadRetention } from './thread-retention.ts';

interface Asked {
  older_than_seconds?: number | undefined;
  user?: string | undefined;
}

export interface RetentionAccounts {
  /** Finds the account that an administrator names. */
  findUser: (name: string) => Promise<{ userId: string } | null>;
  emailsOf: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

export function threadRetentionRoutes({
  retention,
  findUser,
  emailsOf,
}: RetentionAccounts & { retention: Pick<ThreadRetention, 'preview' | 'step'> }): Routes {
  const chosenBy = async ({ older_than_seconds: seconds, user }: Asked): Promise<Chosen> => {
    const found = user === undefined ? undefined : await findUser(user);
    if (found === null)
      throw new AppError('account_not_found', {
        message: `No account has the id or e-mail address ${user}.`,
      });
    return { ageMs: seconds === undefined ? undefined : seconds * secondMs, userId: found?.userId };
  };
  return (app) => {
    app.route({
      ...previewThreadRetention,
      handler: async (request) => {
        const { before, threads, users, leftOut } = await retention.preview(await chosenBy(request.query));
        const emails = await emailsOf(users.map(({ userId }) => userId));
        return {
          before,
          threads,
          users: users.map(({ userId, count, oldest }) => ({
            user_id: userId,
            email: emails.get(userId) ?? null,
            threads: count,
            oldest,
          })),
          users_left_out: leftOut,
        };
      },
    });
    app.route({
      ...applyThreadRetention,
      handler: async (request) => retention.step(await chosenBy(request.body), actorOf(request)),
    });
  };
}
