import { compareFileRecipes } from '@switchyard/contract/dispatch/recipe';
import { useQuery } from '@tanstack/react-query';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { classes, focusRing } from '../parts/classes.ts';
import { letterOf } from '../pictures/compare.tsx';
import { QueryView } from '../query-view.tsx';
import { useRecipeWords } from './use-recipe-words.ts';

const maxShown = 30;

/** What differs in how two to four files were made, by the title of the node and the name of the field. */
export function RecipeDifferences({ ids }: { ids: readonly string[] }) {
  const text = useText('results');
  const words = useRecipeWords();
  const [first = '', ...rest] = ids;
  const isWide = ids.length > 2;
  const query = useQuery({
    queryKey: keys.fileDifference(first, ...rest),
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
          {sameContent ? <p className="text-body">{text('differences.same')}</p> : null}
          {differences.length === 0 ? (
            <p className="text-body text-text-2">{text('differences.none')}</p>
          ) : (
            <section
              aria-label={text('differences.title')}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the window is scrolled by keyboard
              tabIndex={0}
              className={classes(focusRing, 'overflow-x-auto')}
            >
              <table
                // Part of a column that is cut off shows on a phone that there is more.
                className={`w-full table-fixed text-table ${isWide ? 'max-sm:min-w-[30rem]' : ''}`}
              >
                <caption className="pb-1 text-left font-medium">{text('differences.title')}</caption>
                <thead>
                  <tr className="text-left text-text-2">
                    <th
                      scope="col"
                      className={`w-1/5 py-1 pr-2 font-normal ${isWide ? 'max-sm:w-1/4' : 'max-sm:w-1/3'}`}
                    >
                      {text('differences.place')}
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
                  {text('differences.more', { count: differences.length - maxShown })}
                </p>
              ) : null}
            </section>
          )}
        </section>
      )}
    </QueryView>
  );
}
