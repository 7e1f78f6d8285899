import { Download } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { blank } from '../lib/format/format.ts';
import { useText } from '../lib/i18n.ts';
import { saveFile } from '../lib/save-file.ts';
import { Button } from './button.tsx';
import { csvText } from './chart/csv.ts';
import type { ChartColour, ChartSeries } from './chart/series.ts';

const BarCanvas = lazy(async () => ({ default: (await import('./chart/bar-canvas.tsx')).BarCanvas }));

export interface ChartProps {
  title: string;
  /** The meaning of a bar: "Day". */
  labelName: string;
  labels: readonly string[];
  series: readonly ChartSeries[];
  formatValue: (value: number) => string;
  /** The name of the CSV file. */
  fileName: string;
  /** Numbers that belong to the table only, such as costs. */
  columns?: readonly ChartColumn[];
}

export interface ChartColumn {
  label: string;
  values: readonly (number | null)[];
  formatValue: (value: number) => string;
}

/** Stacked bars with a legend, and a table of the same numbers. */
export function Chart({ title, labelName, labels, series, formatValue, fileName, columns = [] }: ChartProps) {
  const text = useText('chart');
  const all: ChartColumn[] = [...series.map((each) => ({ ...each, formatValue })), ...columns];
  const save = (): void => {
    const head = [labelName, ...all.map(({ label }) => label)];
    const lines = labels.map((label, index) => [label, ...all.map(({ values }) => values[index] ?? null)]);
    saveFile(fileName, csvText([head, ...lines]));
  };
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="text-lead font-medium">{title}</span>
        <Legend series={series} />
      </figcaption>
      <Suspense fallback={<div className="h-45" role="status" aria-label={text('loading')} />}>
        <BarCanvas labels={labels} series={series} formatValue={formatValue} />
      </Suspense>
      <details className="min-w-0">
        <summary className="w-fit cursor-pointer py-1 text-table text-text-2 outline-accent focus-visible:outline-2">
          {text('showTable')}
        </summary>
        <div className="flex flex-col items-start gap-2 pt-1">
          <div className="max-w-full overflow-x-auto">
            <table className="text-table tabular-nums">
              <caption className="sr-only">{title}</caption>
              <thead>
                <tr className="border-b border-border text-text-2">
                  <th scope="col" className="h-8 pr-6 text-left font-medium">
                    {labelName}
                  </th>
                  {all.map(({ label }) => (
                    <th key={label} scope="col" className="px-3 text-right font-medium whitespace-nowrap">
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {labels.map((label, index) => (
                  <tr key={label} className="border-b border-border">
                    <th scope="row" className="h-7 pr-6 text-left font-normal whitespace-nowrap">
                      {label}
                    </th>
                    {all.map((column) => (
                      <td key={column.label} className="px-3 text-right">
                        {shown(column, index)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Button size="s" icon={<Download size={14} strokeWidth={1.75} aria-hidden />} onClick={save}>
            {text('csv')}
          </Button>
        </div>
      </details>
    </figure>
  );
}

function shown({ values, formatValue }: ChartColumn, index: number): string {
  const value = values[index] ?? null;
  return value === null ? blank : formatValue(value);
}

const swatches: Record<ChartColour, string> = {
  1: 'bg-chart-1 border-chart-1 text-chart-1',
  2: 'bg-chart-2 border-chart-2 text-chart-2',
  3: 'bg-chart-3 border-chart-3 text-chart-3',
  4: 'bg-chart-4 border-chart-4 text-chart-4',
  5: 'bg-chart-5 border-chart-5 text-chart-5',
  6: 'bg-chart-6 border-chart-6 text-chart-6',
};
const stripes =
  'bg-transparent! bg-[repeating-linear-gradient(135deg,currentColor_0_1.5px,transparent_1.5px_4px)]';

function Legend({ series }: { series: readonly ChartSeries[] }) {
  return (
    <span className="flex flex-wrap gap-x-4 gap-y-1 text-table text-text-2">
      {series.map(({ id, label, colour, isHatched }) => (
        <span key={id} className="inline-flex items-center gap-1.5">
          <span
            aria-hidden
            className={`size-3 rounded-[2px] border forced-color-adjust-none ${swatches[colour]} ${isHatched ? stripes : ''}`}
          />
          {label}
        </span>
      ))}
    </span>
  );
}
