import { randomId } from '@switchyard/client/random-id';
import { makeFileAgain, type RecipeChanges } from '@switchyard/contract/dispatch/recipe';
import type { Task } from '@switchyard/contract/dispatch/task';
import { navigate } from 'wouter/use-browser-location';
import { useAct } from '../../../kit/forms/use-act.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';

/** Makes a file once more, from its button and from its key. */
export function useAgain(fileId: string) {
  const text = useText('gallery');
  const { act, isBusy } = useAct();
  const again = (changes: RecipeChanges) =>
    gateway.call(makeFileAgain, {
      params: { fileId },
      body: changes,
      headers: { 'idempotency-key': randomId() },
    });
  const started = ({ id }: Task) => ({
    text: text('again.started'),
    action: { label: text('again.open'), run: () => navigate(`/tasks/${id}`) },
  });
  const start = () => void act(() => again({}), { done: started });
  return { again, isBusy, start, started };
}
