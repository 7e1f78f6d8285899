import { cancelTask, moveTaskToFront, retryTask } from '@switchyard/contract/dispatch/tasks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { navigate } from 'wouter/use-browser-location';
import { useToast } from '../../kit/toast.tsx';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';

const endpoints = { cancel: cancelTask, retry: retryTask, front: moveTaskToFront };
export type TaskAction = keyof typeof endpoints;

/** Cancels, repeats or moves one task and says what became of it. */
export function useTaskAction() {
  const cache = useQueryClient();
  const toast = useToast();
  const text = useText('tasks');
  return useMutation({
    mutationFn: async ({ action, taskId }: { action: TaskAction; taskId: string }) => {
      const params = { taskId };
      if (action === 'retry') return gateway.call(retryTask, { params });
      return gateway.call(endpoints[action] as typeof cancelTask, { params });
    },
    onSuccess: async (task, { action, taskId }) => {
      const open = { label: text('action.openCopy'), run: () => navigate(`/tasks/${task.id}`) };
      toast({ text: text(`did.${action}`), ...(action === 'retry' && { action: open }) });
      await Promise.all([
        cache.invalidateQueries({ queryKey: keys.task(taskId) }),
        cache.invalidateQueries({ queryKey: keys.taskPages }),
        cache.invalidateQueries({ queryKey: keys.overview }),
      ]);
    },
    onError: (error) => toast({ error }),
  });
}
