import { UserTurns } from '../../../lib/async/user-turns.ts';
import { ToolFailure } from '../tool-failure.ts';

/** Returns the turns of searches. Each search takes a processor. */
export function newSearchTurns(): UserTurns {
  const full = () =>
    new ToolFailure('too_many_searches', 'Too many searches at once. Search again when others are done.');
  return new UserTurns({ atOnce: 2, atOncePerUser: 1, waiting: { perUser: 8, full } });
}
