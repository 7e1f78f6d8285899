import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import type { FieldProblem } from './field-params.ts';

/** Words a problem of a field. */
export function useProblemText(): (problem: FieldProblem) => string {
  const text = useText('fields');
  const format = useFormat();
  return (problem) => {
    switch (problem.code) {
      case 'refused':
        return problem.message;
      case 'too_low':
        return text('problem.too_low', { minimum: format.count(problem.minimum) });
      case 'too_high':
        return text('problem.too_high', { maximum: format.count(problem.maximum) });
      default:
        return text(`problem.${problem.code}`);
    }
  };
}
