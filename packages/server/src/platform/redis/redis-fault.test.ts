import { expect, it } from 'vitest';
import { isToldByServer, redisFault } from './redis-fault.ts';

it('says in the words of a read-only server what one says that has become a replica, and its connection tells it once', () => {
  const error = new Error(
    'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
  );
  expect(redisFault(error, 'localhost')).toBe(
    'Redis at localhost is a replica and takes no writes; bus.url must lead to the primary server.',
  );
  expect(isToldByServer(error)).toBe(true);
});
