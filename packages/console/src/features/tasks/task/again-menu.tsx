import { makeFileAgain } from '@switchyard/contract/dispatch/recipe';
import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { ChevronDown } from 'lucide-react';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../../kit/button.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { Menu } from '../../../kit/menu.tsx';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';

/** Runs the task once more with its settings, as they were or with another seed. */
export function AgainMenu({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const { act, isBusy } = useAct();
  const fileId = task.result?.outputs[0]?.fileId;
  if (fileId === undefined) return null;
  const again = (seed: 'same' | 'random') =>
    void act(() => gateway.call(makeFileAgain, { params: { fileId }, body: { seed } }), {
      done: ({ id }) => ({
        text: text('did.retry'),
        action: { label: text('action.openCopy'), run: () => navigate(`/tasks/${id}`) },
      }),
    });
  return (
    <Menu
      label={text('again.label')}
      trigger={
        <Button disabled={isBusy}>
          {text('again.label')}
          <ChevronDown size={16} strokeWidth={1.75} aria-hidden />
        </Button>
      }
      items={[
        {
          label: text('again.same'),
          command: `switchyard files again ${fileId} --seed same`,
          onSelect: () => again('same'),
        },
        {
          label: text('again.random'),
          command: `switchyard files again ${fileId} --seed random`,
          onSelect: () => again('random'),
        },
      ]}
    />
  );
}
