import type { StoredFile } from '@switchyard/contract/dispatch/file';
import { compareFileRecipes } from '@switchyard/contract/dispatch/recipe';
import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../../kit/dialog.tsx';
import { Compare } from '../../kit/pictures/compare.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { setQuery, useQueryState } from '../../lib/address.ts';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';

/** The two pictures that the address names in one place, and what differs in how they were made. */
export function ComparePictures({ files }: { files: readonly StoredFile[] }) {
  const text = useText('gallery');
  const [pair] = useQueryState('compare');
  const [left, right] = (pair ?? '').split(',').map((id) => files.find(({ fileId }) => fileId === id));
  const isOpen = left !== undefined && right !== undefined;
  return (
    <Dialog open={isOpen} onClose={() => setQuery({ compare: null })} title={text('compare.title')} wide>
      {isOpen ? (
        <div className="flex flex-col gap-4">
          <div className="flex h-[min(60dvh,40rem)]">
            <Compare pictures={[left, right]} />
          </div>
          <Differences left={left.fileId} right={right.fileId} />
        </div>
      ) : null}
    </Dialog>
  );
}

const maxShown = 30;

function Differences({ left, right }: { left: string; right: string }) {
  const text = useText('gallery');
  const query = useQuery({
    queryKey: [...keys.files, 'one', left, 'difference', right],
    queryFn: ({ signal }) =>
      gateway.call(compareFileRecipes, { params: { fileId: left }, query: { with: right }, signal }),
  });
  return (
    <QueryView query={query}>
      {({ differences, sameContent }) => (
        <>
          {sameContent ? <p className="text-body">{text('compare.same')}</p> : null}
          {differences.length === 0 ? (
            <p className="text-body text-text-2">{text('compare.none')}</p>
          ) : (
            <table className="w-full table-fixed text-table">
              <caption className="pb-1 text-left font-medium">{text('compare.differences')}</caption>
              <thead className="sr-only">
                <tr>
                  <th>{text('compare.place')}</th>
                  <th>{text('compare.left')}</th>
                  <th>{text('compare.right')}</th>
                </tr>
              </thead>
              <tbody>
                {differences.slice(0, maxShown).map(({ path, left: before, right: after }) => (
                  <tr key={path} className="border-t border-border align-top">
                    <td className="py-1 pr-2 break-words text-text-2">{path}</td>
                    <td className="py-1 pr-2 break-words">{shown(before)}</td>
                    <td className="py-1 break-words">{shown(after)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </>
      )}
    </QueryView>
  );
}

function shown(value: unknown): string {
  if (value === undefined) return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
