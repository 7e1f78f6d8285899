import { ApiError } from '@switchyard/client/errors';
import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import { useQueryClient } from '@tanstack/react-query';
import { Brush, ImagePlus, MessageSquare, Share2, Sparkles } from 'lucide-react';
import { lazy, type ReactElement, Suspense, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { setQuery } from '../../lib/address.ts';
import { fileRecipeQuery } from '../../lib/data/files.ts';
import { workflowQuery } from '../../lib/data/workflows.ts';
import { useText } from '../../lib/i18n.ts';
import { useAct } from '../forms/use-act.ts';
import { Menu } from '../menu.tsx';
import type { MenuItem } from '../parts/menu-item.ts';
import type { Picture } from '../pictures/picture.ts';

const SaveAndOpen = lazy(async () => ({ default: (await import('./result-dialogs.tsx')).SaveAndOpen }));
const UseAsInput = lazy(async () => ({ default: (await import('./result-dialogs.tsx')).UseAsInput }));

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** Where a file can go on, wherever it is shown: to the bench with its values, into another workflow, into a conversation. */
export function ResultMenu({
  file,
  before,
  trigger,
}: {
  file: Pick<Picture, 'fileId' | 'filename'>;
  /** On the bench, its own actions stand in the place of the way to it. */
  before?: readonly MenuItem[];
  trigger?: ReactElement;
}) {
  const text = useText('results');
  const cache = useQueryClient();
  const { act } = useAct();
  const [shown, setShown] = useState<'input' | 'masked' | FileRecipe | null>(null);
  const { fileId, filename } = file;
  const openOnBench = () =>
    void act(async () => {
      const recipe = await cache.fetchQuery({ ...fileRecipeQuery(fileId), retry: false });
      const { savedWorkflow, workflow } = recipe;
      const isSaved = savedWorkflow !== null && (await exists(savedWorkflow.workflowId));
      if (isSaved) navigate(`/workflows/${savedWorkflow.workflowId}?from=${fileId}`);
      else if (workflow !== null) setShown(recipe);
      else setShown('input'); // an upload was made by no workflow, and can be the input of one
    });
  const exists = async (workflowId: string): Promise<boolean> => {
    try {
      await cache.fetchQuery({ ...workflowQuery(workflowId), retry: false });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return false;
      throw error;
    }
  };
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
          {shown === 'input' || shown === 'masked' ? (
            <UseAsInput file={file} isMasked={shown === 'masked'} onClose={() => setShown(null)} />
          ) : (
            <SaveAndOpen recipe={shown} onClose={() => setShown(null)} />
          )}
        </Suspense>
      )}
    </>
  );
}
