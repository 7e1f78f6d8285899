import { copyFile, type StoredFile } from '@switchyard/contract/dispatch/file';
import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import { useQuery } from '@tanstack/react-query';
import { Copy, Info, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Lightbox } from '../../kit/pictures/lightbox.tsx';
import type { Picture } from '../../kit/pictures/picture.ts';
import { ResultMenu } from '../../kit/results/result-menu.tsx';
import { isMissing } from '../../kit/states/error-text.ts';
import { GoneFile } from '../../kit/states/gone-state.tsx';
import { setQuery, useQueryState } from '../../lib/address.ts';
import { fileRecipeQuery } from '../../lib/data/files.ts';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { FileMarks, StarButton, useStar } from './file-marks.tsx';
import { RecipePanel } from './recipe/recipe-panel.tsx';
import { useAgain } from './recipe/use-again.ts';

const icon = { size: 20, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** The picture that the address names, large, with how it was made beside it. */
export function OpenPicture({
  files,
  areShared,
  onDelete,
}: {
  files: readonly StoredFile[];
  /** True for files of another user. */
  areShared: boolean;
  onDelete: (fileId: string) => void;
}) {
  const text = useText('gallery');
  const [fileId] = useQueryState('file');
  const { isOpen, toggle } = useRecipePanel();
  const { start: makeAgain } = useAgain(fileId ?? '');
  const at = files.findIndex((file) => file.fileId === fileId);
  const known = files[at];
  const linked = useLinkedFile(known ? null : fileId);
  const current: Picture | null = known ?? linked.pictures[0] ?? null;
  const isShared = areShared || linked.isShared;
  const file = areShared ? undefined : known;
  const star = useStar(file);
  const remove = () => {
    if (current === null) return;
    const next = files[at + 1] ?? files[at - 1];
    setQuery({ file: next?.fileId ?? null });
    onDelete(current.fileId);
  };
  const own = current && (
    <OwnActions current={current} star={<StarButton file={file} onStar={star} />} onDelete={remove} />
  );
  const close = () => setQuery({ file: null });
  if (linked.isGone) return <GoneFile onClose={close} />;
  return (
    <Lightbox<Picture>
      items={known ? files : linked.pictures}
      current={current}
      altOf={({ filename }) => filename}
      onMove={(moved) => setQuery({ file: moved.fileId })}
      onClose={close}
      keys={isShared ? { i: toggle } : { i: toggle, r: makeAgain, s: star, Delete: remove }}
      actions={
        <>
          <IconButton
            label={text(isOpen ? 'recipe.hide' : 'recipe.show')}
            aria-pressed={isOpen}
            aria-keyshortcuts="i"
            icon={<Info {...icon} />}
            onClick={toggle}
          />
          {current && isShared ? <CopyShared fileId={current.fileId} /> : own}
        </>
      }
      side={
        current !== null && isOpen ? <Beside key={current.fileId} current={current} file={file} /> : undefined
      }
    />
  );
}

function useRecipePanel() {
  const [panel, setPanel] = useQueryState('recipe');
  // On a phone, the recipe would cover the picture, so that it is opened by its button.
  const isOpen = panel === 'on' || (panel === null && window.matchMedia('(min-width: 48rem)').matches);
  return { isOpen, toggle: () => setPanel(isOpen ? 'off' : 'on') };
}

/** A file that a link names and that is not among those that are loaded. */
function useLinkedFile(fileId: string | null): { pictures: Picture[]; isShared: boolean; isGone: boolean } {
  const { data, error } = useQuery({ ...fileRecipeQuery(fileId ?? ''), enabled: fileId !== null });
  const recipe = fileId === null || error !== null ? undefined : data;
  return {
    pictures: recipe ? [pictureOf(recipe)] : [],
    isShared: recipe?.isShared === true,
    isGone: fileId !== null && isMissing(error),
  };
}

/** What the owner of a picture may do with it. */
function OwnActions({
  current,
  star,
  onDelete,
}: {
  current: Picture;
  star: ReactNode;
  onDelete: () => void;
}) {
  const text = useText('gallery');
  return (
    <>
      {star}
      <ResultMenu file={current} />
      <IconButton label={text('delete.one')} icon={<Trash2 {...icon} />} onClick={onDelete} />
    </>
  );
}

/** Saves a picture that is shared with the user as one of their own. */
function CopyShared({ fileId }: { fileId: string }) {
  const text = useText('gallery');
  const { act, isBusy } = useAct();
  const hint = useCommandHint(`switchyard share copy file ${fileId}`);
  const copy = () =>
    act(() => gateway.call(copyFile, { params: { fileId } }), {
      done: text('share.copied'),
      refresh: [keys.filePages],
    });
  return (
    <IconButton
      label={text('share.copy')}
      icon={<Copy {...icon} />}
      isBusy={isBusy}
      onClick={() => void copy()}
      {...hint}
    />
  );
}

/** What its owner notes about the picture, and how it was made. */
function Beside({ current, file }: { current: Picture; file: StoredFile | undefined }) {
  return (
    <>
      {file ? <FileMarks file={file} /> : null}
      <RecipePanel file={current} />
    </>
  );
}

/** A file that is not among those that are loaded, by its recipe. */
export function pictureOf({ fileId, filename, contentType }: FileRecipe): Picture {
  return { fileId, filename, contentType, width: null, height: null };
}
