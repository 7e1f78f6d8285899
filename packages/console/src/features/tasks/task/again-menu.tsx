import { makeFileAgain } from '@switchyard/contract/dispatch/recipe';
import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { useMutation } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../../kit/button.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';

/** Runs the task once more with its settings, as they were or with another seed. */
export function AgainMenu({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const toast = useToast();
  const fileId = task.result?.outputs[0]?.fileId;
  const again = useMutation({
    mutationFn: (seed: 'same' | 'random') =>
      gateway.call(makeFileAgain, { params: { fileId: fileId ?? '' }, body: { seed } }),
    onSuccess: ({ id }) =>
      toast({
        text: text('did.retry'),
        action: { label: text('action.openCopy'), run: () => navigate(`/tasks/${id}`) },
      }),
    onError: (error) => toast({ error }),
  });
  if (fileId === undefined) return null;
  return (
    <Menu
      label={text('again.label')}
      trigger={
        <Button disabled={again.isPending}>
          {text('again.label')}
          <ChevronDown size={16} strokeWidth={1.75} aria-hidden />
        </Button>
      }
      items={[
        {
          label: text('again.same'),
          command: `switchyard files again ${fileId} --seed same`,
          onSelect: () => again.mutate('same'),
        },
        {
          label: text('again.random'),
          command: `switchyard files again ${fileId} --seed random`,
          onSelect: () => again.mutate('random'),
        },
      ]}
    />
  );
}
