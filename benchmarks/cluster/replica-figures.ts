import type { Figure, Measured } from '../measure.ts';

/** What a measure says of one gateway on SQLite beside one, two and three replicas on Postgres and Redis. */
export function replicaFigures({
  sqlite,
  rates,
  note,
}: {
  sqlite: number;
  rates: readonly number[];
  note: string;
}): Measured {
  const [one = 0, , three = 0] = rates;
  return {
    figures: [
      { name: 'one gateway on SQLite', value: sqlite, unit: '/s' },
      ...rates.map(
        (value, n): Figure => ({
          name: `${n + 1} replica${n > 0 ? 's' : ''} on Postgres and Redis`,
          value,
          unit: '/s',
        }),
      ),
      { name: 'one replica beside SQLite', value: (one / sqlite) * 100, unit: '%' },
      { name: 'three replicas beside one', value: three / one, unit: '×' },
    ],
    bars: [
      { promise: 'one replica on Postgres and Redis ≥ 50 % of SQLite', isMet: one >= sqlite / 2 },
      { promise: 'three replicas not below one', isMet: three >= one },
    ],
    notes: [note],
  };
}
