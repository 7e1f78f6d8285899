import { randomId } from '@switchyard/client/random-id';
import { type FileRecipe, makeFileAgain, type RecipeChanges } from '@switchyard/contract/dispatch/recipe';
import type { Task } from '@switchyard/contract/dispatch/task';
import { RefreshCw, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { useToast } from '../../../kit/toast.tsx';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { AgainDialog } from './again-dialog.tsx';

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** Makes the file again, as it was or with other values. */
export function AgainActions({ recipe }: { recipe: FileRecipe }) {
  const text = useText('gallery');
  const toast = useToast();
  const { act, isBusy } = useAct();
  const [isChanging, setChanging] = useState(false);
  const hint = useCommandHint(`switchyard files again ${recipe.fileId} --wait`);
  const again = (changes: RecipeChanges) =>
    gateway.call(makeFileAgain, {
      params: { fileId: recipe.fileId },
      body: changes,
      headers: { 'idempotency-key': randomId() },
    });
  const started = ({ id }: Task) => ({
    text: text('again.started'),
    action: { label: text('again.open'), run: () => navigate(`/tasks/${id}`) },
  });
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        variant="solid"
        size="s"
        icon={<RefreshCw {...icon} />}
        disabled={isBusy}
        onClick={() => void act(() => again({}), { done: started })}
        {...hint}
      >
        {text('again.same')}
      </Button>
      <Button size="s" icon={<SlidersHorizontal {...icon} />} onClick={() => setChanging(true)}>
        {text('again.with')}
      </Button>
      {isChanging ? (
        <AgainDialog
          recipe={recipe}
          again={again}
          onClose={() => setChanging(false)}
          onStarted={(task) => {
            setChanging(false);
            toast(started(task));
          }}
        />
      ) : null}
    </div>
  );
}
