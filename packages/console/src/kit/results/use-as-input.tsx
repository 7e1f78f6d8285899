import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { workflowsQuery } from '../../lib/data/workflows.ts';
import { useText } from '../../lib/i18n.ts';
import { Dialog } from '../dialog.tsx';
import { SearchInput } from '../forms/search-input.tsx';
import type { Picture } from '../pictures/picture.ts';
import { QueryView } from '../query-view.tsx';

const maxShown = 50;

/** The saved workflows, each a way to the bench with the file as its input. */
export function UseAsInput({
  file: { fileId, filename },
  onClose,
}: {
  file: Pick<Picture, 'fileId' | 'filename'>;
  onClose: () => void;
}) {
  const text = useText('results');
  const query = useQuery(workflowsQuery());
  const [words, setWords] = useState('');
  const wanted = words.toLowerCase();
  return (
    <Dialog open onClose={onClose} title={text('choose.title', { name: filename })}>
      <div className="flex flex-col gap-3">
        <SearchInput label={text('choose.search')} value={words} onChange={setWords} />
        <QueryView
          query={query}
          isEmpty={({ items }) => items.length === 0}
          first={<p>{text('choose.none')}</p>}
        >
          {({ items }) => (
            <ul className="flex flex-col">
              {items
                .filter(({ name }) => name.toLowerCase().includes(wanted))
                .slice(0, maxShown)
                .map(({ id, name, description }) => (
                  <li key={id}>
                    <Link
                      href={`/workflows/${id}?file=${fileId}`}
                      onClick={onClose}
                      className="flex min-h-11 flex-col justify-center rounded-control px-2 outline-accent hover:bg-sunken focus-visible:outline-2"
                    >
                      <span className="text-body font-medium break-words">{name}</span>
                      {description === '' ? null : (
                        <span className="truncate text-table text-text-2">{description}</span>
                      )}
                    </Link>
                  </li>
                ))}
            </ul>
          )}
        </QueryView>
      </div>
    </Dialog>
  );
}
