import type { StoredFile } from '@switchyard/contract/dispatch/file';
import { useQueries } from '@tanstack/react-query';
import { useRef } from 'react';
import { Compare } from '../../kit/pictures/compare.tsx';
import { FullWindow } from '../../kit/pictures/full-window.tsx';
import type { Picture } from '../../kit/pictures/picture.ts';
import { RecipeDifferences } from '../../kit/results/recipe-differences.tsx';
import { setQuery, useQueryState } from '../../lib/address.ts';
import { fileRecipeQuery } from '../../lib/data/files.ts';
import { useText } from '../../lib/i18n.ts';
import { pictureOf } from './open-picture.tsx';

export const maxCompared = 4;

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
            <RecipeDifferences ids={ids} />
          </>
        ) : null}
      </div>
    </FullWindow>
  );
}

function pictureIn(recipe: Parameters<typeof pictureOf>[0] | undefined): Picture | undefined {
  return recipe && pictureOf(recipe);
}
