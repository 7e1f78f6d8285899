import type { Compilable, CompiledQuery, Kysely } from 'kysely';

/** A statement with its values, which a unit hands in and the database runs. */
export interface BoundStatement {
  /** It is the same for statements that differ in their values alone. */
  template: { build: (db: Kysely<unknown>, dialect: 'postgres') => Compilable };
  fill(db: Kysely<unknown>): CompiledQuery;
}
