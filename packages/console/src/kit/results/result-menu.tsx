import { ApiError } from '@switchyard/client/errors';
import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import { type SavedWorkflowDetail, updateWorkflow } from '@switchyard/contract/dispatch/workflow';
import { useQueryClient } from '@tanstack/react-query';
import {
  Brush,
  Download,
  Frame,
  ImagePlus,
  MessageSquare,
  MessagesSquare,
  Share2,
  Sparkles,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { setQuery } from '../../lib/address.ts';
import { fileRecipeQuery } from '../../lib/data/files.ts';
import { keys } from '../../lib/data/keys.ts';
import { workflowQuery } from '../../lib/data/workflows.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { saveAddress } from '../../lib/save-file.ts';
import { useAct } from '../forms/use-act.ts';
import { Menu } from '../menu.tsx';
import type { MenuItem, MenuTrigger } from '../parts/menu-item.ts';
import { fileAddress, mediaKindOf, type Picture } from '../pictures/picture.ts';
import { useToast } from '../toast.tsx';

const SaveAndOpen = lazy(async () => ({ default: (await import('./result-dialogs.tsx')).SaveAndOpen }));
const UseAsInput = lazy(async () => ({ default: (await import('./result-dialogs.tsx')).UseAsInput }));

const AskIn = lazy(async () => ({ default: (await import('./result-dialogs.tsx')).AskIn }));

/** The types that are sent without metadata on demand; others have none, or stay as they are. */
const canBeStripped = /^image\/(png|jpeg|webp)$/;

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** Where a file can go on, wherever it is shown: to the bench with its values, into another workflow, into a conversation. */
export function ResultMenu({
  file,
  before,
  trigger,
}: {
  file: Pick<Picture, 'fileId' | 'filename' | 'contentType'>;
  /** On the bench, its own actions stand in the place of the way to it. */
  before?: readonly MenuItem[];
  trigger?: MenuTrigger;
}) {
  const text = useText('results');
  const cache = useQueryClient();
  const { act } = useAct();
  const toast = useToast();
  const [shown, setShown] = useState<'input' | 'masked' | 'ask' | FileRecipe | null>(null);
  const { fileId, filename, contentType } = file;
  const made = async () => {
    const recipe = await cache.fetchQuery({ ...fileRecipeQuery(fileId), retry: false });
    return { recipe, saved: recipe.savedWorkflow && (await stored(recipe.savedWorkflow.workflowId)) };
  };
  const openOnBench = () =>
    void act(async () => {
      const { recipe, saved } = await made();
      const { workflow } = recipe;
      if (saved) navigate(`/workflows/${saved.id}?from=${fileId}`);
      else if (workflow !== null) setShown(recipe);
      else setShown('input'); // an upload was made by no workflow, and can be the input of one
    });
  /** Returns null when the workflow is deleted, or not shared any more. */
  const stored = async (workflowId: string): Promise<SavedWorkflowDetail | null> => {
    try {
      return await cache.fetchQuery({ ...workflowQuery(workflowId), retry: false });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  };
  const useAsCover = () =>
    void act(made, {
      onDone: ({ saved }) => {
        if (!saved || saved.share)
          return toast({ text: text('coverNone', { name: filename }), tone: 'failed' });
        const { id: workflowId, name, cover } = saved;
        const choose = (coverFileId: string | null) =>
          gateway.call(updateWorkflow, { params: { workflowId }, body: { coverFileId } });
        void act(() => choose(fileId), {
          done: text('covered', { name }),
          undo: () => choose(cover?.chosen ? cover.fileId : null),
          refresh: [keys.workflows],
        });
      },
    });
  return (
    <>
      <Menu
        label={text('label', { name: filename })}
        trigger={trigger}
        items={[
          ...(before ?? [{ label: text('bench'), icon: <Sparkles {...icon} />, onSelect: openOnBench }]),
          { label: text('input'), icon: <ImagePlus {...icon} />, onSelect: () => setShown('input') },
          { label: text('masked'), icon: <Brush {...icon} />, onSelect: () => setShown('masked') },
          { label: text('ask'), icon: <MessageSquare {...icon} />, href: `/chat?ask=${fileId}` },
          { label: text('askIn'), icon: <MessagesSquare {...icon} />, onSelect: () => setShown('ask') },
          ...(mediaKindOf(contentType) === 'picture'
            ? [{ label: text('cover'), icon: <Frame {...icon} />, onSelect: useAsCover }]
            : []),
          ...(canBeStripped.test(contentType)
            ? [
                {
                  label: text('stripped'),
                  icon: <Download {...icon} />,
                  command: `switchyard files download ${fileId} --strip`,
                  onSelect: () => saveAddress(`${fileAddress(file)}?strip=metadata`, filename),
                },
              ]
            : []),
          {
            label: text('share'),
            icon: <Share2 {...icon} />,
            command: `switchyard share give file ${fileId} --to everyone`,
            onSelect: () => setQuery({ share: `file.${fileId}` }),
          },
        ]}
      />
      {shown === null ? null : (
        <Suspense>
          {shown === 'ask' ? (
            <AskIn file={file} onClose={() => setShown(null)} />
          ) : shown === 'input' || shown === 'masked' ? (
            <UseAsInput file={file} isMasked={shown === 'masked'} onClose={() => setShown(null)} />
          ) : (
            <SaveAndOpen recipe={shown} onClose={() => setShown(null)} />
          )}
        </Suspense>
      )}
    </>
  );
}
