import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';
import { EmptyState } from '../states/empty-state.tsx';

/** Nothing fits the filter: names it and offers to clear it. */
export function FilterEmpty({ title, onClear }: { title: string; onClear: () => void }) {
  const text = useText('forms');
  return <EmptyState title={title} action={<Button onClick={onClear}>{text('clear')}</Button>} />;
}
