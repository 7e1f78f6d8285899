import type { WriteTransaction } from './database.ts';

/** Part of a unit that several areas write together. It awaits nothing but its transaction, like the unit itself. */
export type UnitPart = (trx: WriteTransaction<unknown>) => Promise<void>;

/** Makes a part that sees the tables of its own area. */
export function unitPart<Tables>(body: (trx: WriteTransaction<Tables>) => Promise<void>): UnitPart {
  return body as UnitPart;
}
