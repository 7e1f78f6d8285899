/** The colours of charts, `--chart-1` to `--chart-6`. */
export type ChartColour = 1 | 2 | 3 | 4 | 5 | 6;

/** One kind of number for every label of a chart. */
export interface ChartSeries {
  id: string;
  label: string;
  colour: ChartColour;
  /** A value that is not known is null: it is drawn as nothing and shown as blank, never as zero. */
  values: readonly (number | null)[];
  /** Drawn with stripes: what is simulated is never mistaken for what was used. */
  isHatched?: boolean;
}

/** The upper edge of each series when they stand on each other, the first at the bottom. */
export function stacked(series: readonly ChartSeries[]): number[][] {
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  const below = new Array<number>(count).fill(0);
  return series.map(({ values }) => {
    for (let index = 0; index < count; index++) below[index] = (below[index] ?? 0) + (values[index] ?? 0);
    return [...below];
  });
}
