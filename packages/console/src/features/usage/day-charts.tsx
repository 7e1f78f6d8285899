import type { ConsoleUsage } from '@switchyard/contract/conversation/console';
import { useMemo } from 'react';
import type { ChartSeries } from '../../kit/chart/series.ts';
import { Chart, type ChartColumn } from '../../kit/chart.tsx';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';

/** Tokens beside the time of workers, day by day. */
export function DayCharts({ usage }: { usage: ConsoleUsage }) {
  const { days } = usage;
  const format = useFormat();
  const text = useText('usage');
  const labels = useMemo(() => days.map(({ date }) => date.slice(5)), [days]);
  const tokens = useTokenSeries(usage);
  const seconds = useMemo(
    (): ChartSeries[] => [
      {
        id: 'seconds',
        label: text('workerSeconds'),
        colour: 3,
        values: days.map(({ task_seconds }) => task_seconds),
      },
    ],
    [days, text],
  );
  const columns = useColumns(usage);
  return (
    <div className="grid min-w-0 gap-8 lg:grid-cols-2">
      <Chart
        title={text('tokensByDay')}
        labelName={text('day')}
        labels={labels}
        series={tokens}
        columns={columns.tokens}
        formatValue={format.compact}
        fileName="tokens-by-day.csv"
      />
      <Chart
        title={text('workerByDay')}
        labelName={text('day')}
        labels={labels}
        series={seconds}
        columns={columns.work}
        formatValue={format.count}
        fileName="worker-seconds-by-day.csv"
      />
    </div>
  );
}

function useTokenSeries({ days }: ConsoleUsage): ChartSeries[] {
  const text = useText('usage');
  return useMemo(
    () => [
      {
        id: 'tokens',
        label: text('tokens'),
        colour: 1,
        values: days.map(({ total_tokens, simulated_tokens }) => total_tokens - simulated_tokens),
      },
      {
        id: 'simulated',
        label: text('simulated'),
        colour: 1,
        isHatched: true,
        values: days.map(({ simulated_tokens }) => simulated_tokens),
      },
    ],
    [days, text],
  );
}

function useColumns({
  days,
  currency,
  worker_currency,
}: ConsoleUsage): Record<'tokens' | 'work', ChartColumn[]> {
  const text = useText('usage');
  const format = useFormat();
  return useMemo(() => {
    const column = (label: string, values: (number | null)[], formatValue = format.count): ChartColumn => ({
      label,
      values,
      formatValue,
    });
    return {
      tokens: [
        column(
          text('runs'),
          days.map(({ runs }) => runs),
        ),
        column(
          text('cost'),
          days.map(({ cost }) => cost),
          (cost) => format.money(cost, currency),
        ),
      ],
      work: [
        column(
          text('tasks'),
          days.map(({ tasks }) => tasks),
        ),
        column(
          text('workerCost'),
          days.map(({ worker_cost }) => worker_cost),
          (cost) => format.money(cost, worker_currency),
        ),
      ],
    };
  }, [days, currency, worker_currency, text, format]);
}
