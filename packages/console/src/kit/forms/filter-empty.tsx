import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';
import { pageHeading } from '../parts/return-focus.ts';
import { EmptyState } from '../states/empty-state.tsx';

/** Nothing fits the filter: names it and offers to clear it. */
export function FilterEmpty({ title, onClear }: { title: string; onClear: () => void }) {
  const text = useText('forms');
  const clear = () => {
    onClear();
    // The button goes with the filter, and would take the focus along.
    pageHeading()?.focus({ preventScroll: true });
  };
  return <EmptyState title={title} action={<Button onClick={clear}>{text('clear')}</Button>} />;
}
