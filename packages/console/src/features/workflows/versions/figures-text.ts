import type { WorkflowFigures } from '@switchyard/contract/dispatch/workflow';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';

/** Words how often a workflow ran, how long a run takes and what it costs. */
export function useFiguresText(): (figures: WorkflowFigures) => string {
  const text = useText('workflows');
  const format = useFormat();
  return ({ runs, runsIsMinimum, seconds, cost, currency }) =>
    [
      text(runsIsMinimum ? 'figures.atLeast' : 'figures.runs', { count: runs }),
      seconds === null ? '' : text('figures.usually', { time: format.duration(seconds * 1_000) }),
      cost === null ? '' : text('figures.each', { price: format.money(cost, currency) }),
    ]
      .filter(Boolean)
      .join(' · ');
}
