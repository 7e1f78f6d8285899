import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';

/** Loads the next page of a list, if there is one. */
export function MoreRows({
  query,
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  const text = useText('forms');
  if (!query.hasNextPage) return null;
  return (
    <div className="pt-2">
      <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {text('more')}
      </Button>
    </div>
  );
}
