import { type LimitNode, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, ValueNode } from 'kysely';
import { type Spelling, TransactionBuilders } from '../query-builder.ts';

/**
 * SQLite plans a statement again whenever the parameter of its `limit` is set, which takes several times longer than a
 * short statement itself. There are few different limits, so they are written into the text.
 */
class LimitsInText extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit ');
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.appendImmediateValue(limit.value);
    else this.visitNode(limit);
  }
}

export const sqliteSpelling: Spelling = {
  adapter: new SqliteAdapter(),
  compiler: new LimitsInText(),
  createIntrospector: (db) => new SqliteIntrospector(db),
};

export const sqliteBuilders = new TransactionBuilders(sqliteSpelling);
