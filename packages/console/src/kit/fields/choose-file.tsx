import type { StoredFile } from '@switchyard/contract/dispatch/file';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { filePagesQuery } from '../../lib/data/files.ts';
import { wordsIn } from '../../lib/file-question.ts';
import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { SearchInput } from '../forms/search-input.tsx';
import { JustifiedGrid } from '../pictures/justified-grid.tsx';
import { QueryView } from '../query-view.tsx';
import { MoreRows } from '../rows/more-rows.tsx';
import { Select } from '../select.tsx';
import type { FileDraft } from './field-draft.ts';

const sources = ['all', 'output', 'upload'] as const;
type Source = (typeof sources)[number];

/** The stored files in front of the page, for a field that takes one. Loaded when it is first opened. */
export function ChooseFile({
  label,
  isPicture,
  chosen,
  onChoose,
  onClose,
}: {
  label: string;
  isPicture: boolean;
  /** The files that are taken, where several may be. */
  chosen?: ReadonlySet<string> | undefined;
  onChoose: (file: FileDraft) => void;
  onClose: () => void;
}) {
  const text = useText('fields');
  const [source, setSource] = useState<Source>('all');
  const [q, setQ] = useState('');
  const query = useInfiniteQuery(
    filePagesQuery({
      ...(isPicture && { kind: 'image' as const }),
      ...(source !== 'all' && { source }),
      ...wordsIn(q),
    }),
  );
  const files = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('file.chooseFor', { label })}
      wide
      actions={
        chosen ? (
          <Button variant="solid" onClick={onClose}>
            {text('files.done', { count: chosen.size })}
          </Button>
        ) : undefined
      }
    >
      <div className="flex min-h-[50dvh] flex-col gap-3">
        <div className="flex flex-wrap items-end gap-2">
          <SearchInput label={text('file.search')} value={q} onChange={setQ} />
          <Select
            label={text('file.source')}
            value={source}
            options={sources.map((value) => ({ value, label: text(`file.sources.${value}`) }))}
            onChange={setSource}
          />
        </div>
        <QueryView
          query={query}
          isEmpty={() => files.length === 0}
          first={<p className="text-body text-text-2">{text('file.galleryEmpty')}</p>}
          filtered={q === '' ? undefined : <p className="text-body text-text-2">{text('file.notFound')}</p>}
        >
          {() => (
            <JustifiedGrid<StoredFile>
              items={files}
              label={text('file.gallery')}
              rowHeight={120}
              altOf={({ filename }) => filename}
              commandOf={({ fileId }) => `switchyard files recipe ${fileId}`}
              onOpen={({ fileId, filename }) => onChoose({ fileId, filename })}
              {...(chosen && { chosen, onChoose: ({ fileId, filename }) => onChoose({ fileId, filename }) })}
            />
          )}
        </QueryView>
        <MoreRows query={query} isEarly />
      </div>
    </Dialog>
  );
}
