import type { StoredFile } from '@switchyard/contract/dispatch/file';
import { compareFileRecipes } from '@switchyard/contract/dispatch/recipe';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Compare, letterOf } from '../../kit/pictures/compare.tsx';
import { FullWindow } from '../../kit/pictures/full-window.tsx';
import type { Picture } from '../../kit/pictures/picture.ts';
import { QueryView } from '../../kit/query-view.tsx';
import { setQuery, useQueryState } from '../../lib/address.ts';
import { fileRecipeQuery } from '../../lib/data/files.ts';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { pictureOf } from './open-picture.tsx';
import { useRecipeWords } from './recipe/use-recipe-words.ts';

export const maxCompared = 4;
const maxShown = 30;

/** The pictures that the address names, two to four, and what differs in how they were made. */
export function ComparePictures({ files }: { files: readonly StoredFile[] }) {
  const text = useText('gallery');
  const [named] = useQueryState('compare');
  const stage = useRef<HTMLDivElement>(null);
  const ids = [...new Set((named ?? '').split(','))].filter((id) => id !== '').slice(0, maxCompared);
  const known = (id: string): Picture | undefined => files.find(({ fileId }) => fileId === id);
  // A link may lead to files that are not among those that are loaded.
  const others = useQueries({
    queries: ids.map((id) => ({ ...fileRecipeQuery(id), enabled: known(id) === undefined })),
  });
  if (ids.length < 2) return null;
  const found = ids.map((id, index) => known(id) ?? pictureIn(others[index]?.data));
  const pictures = found.filter((picture) => picture !== undefined);
  const failed = others.find(({ error }) => error !== null);
  return (
    <FullWindow
      title={text('compare.title', { count: ids.length })}
      onClose={() => setQuery({ compare: null })}
      initialFocus={stage}
    >
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-4 pb-4">
        {failed ? (
          <p role="alert" className="text-body text-failed">
            {text('compare.missing')}
          </p>
        ) : null}
        {pictures.length === ids.length ? (
          <>
            <div className="flex min-h-[min(24rem,60dvh)] flex-1">
              <Compare pictures={pictures} stage={stage} />
            </div>
            <Differences ids={ids} />
          </>
        ) : null}
      </div>
    </FullWindow>
  );
}

function pictureIn(recipe: Parameters<typeof pictureOf>[0] | undefined): Picture | undefined {
  return recipe && pictureOf(recipe);
}

function Differences({ ids }: { ids: readonly string[] }) {
  const text = useText('gallery');
  const words = useRecipeWords();
  const [first = '', ...rest] = ids;
  const query = useQuery({
    queryKey: [...keys.files, 'one', first, 'difference', rest],
    queryFn: ({ signal }) =>
      gateway.call(compareFileRecipes, {
        params: { fileId: first },
        query: { with: rest.join(',') },
        signal,
      }),
  });
  return (
    <QueryView query={query}>
      {({ differences, sameContent }) => (
        <section className="shrink-0">
          {sameContent ? <p className="text-body">{text('compare.same')}</p> : null}
          {differences.length === 0 ? (
            <p className="text-body text-text-2">{text('compare.none')}</p>
          ) : (
            <div className="overflow-x-auto">
              <table
                className={`w-full table-fixed text-table ${ids.length > 2 ? 'max-sm:min-w-[32rem]' : ''}`}
              >
                <caption className="pb-1 text-left font-medium">{text('compare.differences')}</caption>
                <thead>
                  <tr className="text-left text-text-2">
                    <th scope="col" className="w-1/5 py-1 pr-2 font-normal">
                      {text('compare.place')}
                    </th>
                    {ids.map((id, index) => (
                      <th key={id} scope="col" className="py-1 pr-2 font-medium text-text">
                        {letterOf(index)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {differences.slice(0, maxShown).map(({ values, ...place }) => (
                    <tr key={place.path} className="border-t border-border align-top">
                      <th scope="row" className="py-1 pr-2 text-left font-normal break-words text-text-2">
                        {words.placeOf(place)}
                      </th>
                      {ids.map((id, index) => (
                        <td key={id} className="py-1 pr-2 break-words">
                          {words.valueOf(values[index])}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
              {differences.length > maxShown ? (
                <p className="pt-1 text-table text-text-2">
                  {text('compare.more', { count: differences.length - maxShown })}
                </p>
              ) : null}
            </div>
          )}
        </section>
      )}
    </QueryView>
  );
}
