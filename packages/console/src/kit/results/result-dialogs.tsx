import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import { createWorkflow } from '@switchyard/contract/dispatch/workflow';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { keys } from '../../lib/data/keys.ts';
import { threadPagesQuery } from '../../lib/data/threads.ts';
import { workflowsQuery } from '../../lib/data/workflows.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { Dialog } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { FormDialog } from '../forms/form-dialog.tsx';
import { SearchInput } from '../forms/search-input.tsx';
import type { Picture } from '../pictures/picture.ts';
import { QueryView } from '../query-view.tsx';
import { TextInput } from '../text-input.tsx';
import { TimeAgo } from '../time-ago.tsx';

/** The graph of a file that no saved workflow has made becomes one, and the bench opens with the values of the file. */
export function SaveAndOpen({ recipe, onClose }: { recipe: FileRecipe; onClose: () => void }) {
  const text = useText('results');
  const cache = useQueryClient();
  const { fileId, filename, task, workflow } = recipe;
  const [name, setName] = useState((task?.name ?? filename.replace(/\.[^.]*$/, '')).slice(0, 100));
  const save = async () => {
    const made = await gateway.call(createWorkflow, { body: { name, workflow: workflow ?? {} } });
    await cache.invalidateQueries({ queryKey: keys.workflows });
    navigate(`/workflows/${made.id}?from=${fileId}`);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={text('save.title')}
      submit={text('save.submit')}
      onSubmit={save}
      disabled={name.trim() === ''}
    >
      <p className="text-body text-text-2">{text('save.reason', { name: filename })}</p>
      <Field label={text('save.name')}>
        <TextInput value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

const maxShown = 50;

interface FileDialogProps {
  file: Pick<Picture, 'fileId' | 'filename'>;
  onClose: () => void;
}

/** The saved workflows, each a way to the bench with the file as its input. */
export function UseAsInput({
  file,
  isMasked = false,
  onClose,
}: FileDialogProps & {
  /** A mask is painted over it first. */
  isMasked?: boolean;
}) {
  const text = useText('results');
  const { fileId, filename: name } = file;
  const [words, setWords] = useState('');
  const query = useQuery(workflowsQuery());
  const wanted = words.toLowerCase();
  return (
    <Dialog open onClose={onClose} title={text('choose.title', { name })}>
      <div className="flex flex-col gap-3">
        <SearchInput label={text('choose.search')} value={words} onChange={setWords} />
        <QueryView
          query={query}
          isEmpty={({ items }) => items.length === 0}
          first={<p>{text('choose.none')}</p>}
        >
          {({ items }) => (
            <Ways
              onClose={onClose}
              ways={items
                .filter((workflow) => workflow.name.toLowerCase().includes(wanted))
                .slice(0, maxShown)
                .map(({ id, name: title, description }) => ({
                  href: `/workflows/${id}?file=${fileId}${isMasked ? `&paint=${fileId}` : ''}`,
                  title,
                  about: description,
                }))}
            />
          )}
        </QueryView>
      </div>
    </Dialog>
  );
}

/** The conversations, the last used first, each with the file beside its next message. */
export function AskIn({ file, onClose }: FileDialogProps) {
  const text = useText('results');
  const { fileId, filename: name } = file;
  const [words, setWords] = useState('');
  const query = useInfiniteQuery(threadPagesQuery(words === '' ? {} : { q: words }));
  return (
    <Dialog open onClose={onClose} title={text('in.title', { name })}>
      <div className="flex flex-col gap-3">
        <SearchInput label={text('in.search')} value={words} onChange={setWords} />
        <QueryView
          query={query}
          isEmpty={({ pages }) => words === '' && pages.flat().length === 0}
          first={<p>{text('in.none')}</p>}
        >
          {({ pages }) => (
            <Ways
              onClose={onClose}
              ways={(pages[0] ?? []).map(({ thread_id, title, updated_at }) => ({
                href: `/chat/${thread_id}?ask=${fileId}`,
                title: title || text('in.untitled'),
                about: <TimeAgo at={updated_at} />,
              }))}
            />
          )}
        </QueryView>
      </div>
    </Dialog>
  );
}

function Ways({
  ways,
  onClose,
}: {
  ways: readonly { href: string; title: string; about: ReactNode }[];
  onClose: () => void;
}) {
  return (
    <ul className="flex flex-col">
      {ways.map(({ href, title, about }) => (
        <li key={href}>
          <Link
            href={href}
            onClick={onClose}
            className="flex min-h-11 flex-col justify-center rounded-control px-2 outline-accent hover:bg-sunken focus-visible:outline-2"
          >
            <span className="text-body font-medium break-words">{title}</span>
            <span className="truncate text-table text-text-2 empty:hidden">{about}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
