import type { Database } from '../src/platform/database/database.ts';

/** The real database, each of whose writes goes through `around`. */
export function aroundWrites<Tables>(
  database: Database<Tables>,
  around: <Result>(write: () => Promise<Result>) => Promise<Result>,
): Database<Tables> {
  const double: Pick<Database<Tables>, 'write' | 'writeOne'> = {
    write: (unit) => around(() => database.write(unit)),
    writeOne: (statement) => around(() => database.writeOne(statement)),
  };
  return Object.assign(Object.create(database), double);
}
