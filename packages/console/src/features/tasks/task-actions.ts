import { cancelTask, moveTaskToFront, retryTask } from '@switchyard/contract/dispatch/tasks';
import { useCallback } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { useAct } from '../../kit/forms/use-act.ts';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';

const endpoints = { cancel: cancelTask, retry: retryTask, front: moveTaskToFront };
export type TaskAction = keyof typeof endpoints;

/** Cancels, repeats or moves one task and shows the result. */
export function useTaskAction() {
  const { act, isBusy } = useAct();
  const text = useText('tasks');
  // It stays the same, so that the columns of a list need not be made again.
  const actOn = useCallback(
    (taskId: string, action: TaskAction) =>
      void act(() => gateway.call(endpoints[action] as typeof cancelTask, { params: { taskId } }), {
        done: ({ id }) => ({
          text: text(`did.${action}`),
          ...(action === 'retry' && {
            action: { label: text('action.openCopy'), run: () => navigate(`/tasks/${id}`) },
          }),
        }),
        refresh: [keys.task(taskId), keys.taskPages, keys.overview],
      }),
    [act, text],
  );
  return { actOn, isBusy };
}
