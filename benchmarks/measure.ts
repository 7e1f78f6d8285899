import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';

export interface Figure {
  name: string;
  value: number;
  unit: 'µs' | 'ms' | 'B' | 'MB' | '/s' | '%' | '×' | '';
}

/** What the product promises. `isMet` is decided by the measure, which knows its own baseline. */
export interface Bar {
  promise: string;
  isMet: boolean;
  /** Why it is missed where it is. */
  reason?: string;
}

export interface Measured {
  figures: Figure[];
  bars: Bar[];
  /** What a reader must know before trusting the figures. */
  notes?: string[];
}

export interface Result extends Measured {
  name: string;
  title: string;
  takenAt: string;
  machine: string;
}

/** With `BENCH_REHEARSAL=1` a measure runs shortly, to show that it works. Its figures are printed and not kept. */
export const isRehearsal = process.env.BENCH_REHEARSAL === '1';

/** Runs one measure, prints its figures and bars, and leaves them in benchmarks/results for the table. */
export async function measure(name: string, title: string, body: () => Promise<Measured>): Promise<void> {
  console.log(`\n${title}`);
  const { figures, bars, notes = [] } = await body();
  const result: Result = {
    name,
    title,
    takenAt: new Date().toISOString(),
    machine: machine(),
    figures,
    bars,
    notes,
  };
  for (const figure of figures)
    console.log(`  ${figure.name.padEnd(58)} ${formatFigure(figure).padStart(12)}`);
  for (const { isMet, promise, reason } of bars)
    console.log(isMet ? `  met      ${promise}` : `  NOT MET  ${promise}${reason ? ` (${reason})` : ''}`);
  for (const note of notes) console.log(`  note: ${note}`);
  if (isRehearsal) return;
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

function formatFigure({ value, unit }: Figure): string {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const number = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === '/s' || unit === '%' || unit === '×' || unit === ''
    ? `${number}${unit}`
    : `${number} ${unit}`;
}

function machine(): string {
  const [first, ...rest] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${first?.model ?? 'unknown processor'}, ${rest.length + 1} cores, ${memory} GiB, ${platform()} ${release()} ${arch()}, Node ${process.version}`;
}
