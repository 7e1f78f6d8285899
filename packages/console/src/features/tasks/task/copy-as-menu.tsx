import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { ChevronDown } from 'lucide-react';
import { Button } from '../../../kit/button.tsx';
import { useCopy } from '../../../kit/copy/use-copy.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { useText } from '../../../lib/i18n.ts';
import { asClient, asCommand, asCurl } from './copy-as.ts';

/** Copies the task as a request that submits the same work again. */
export function CopyAsMenu({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const toast = useToast();
  const { origin } = window.location;
  const { copy, dialog } = useCopy();
  const copyAs = async (name: string, content: string) => {
    if (await copy(content)) toast({ text: text('copy.done', { name }) });
  };
  const items = [
    { label: 'curl', content: () => asCurl(task, origin) },
    { label: text('copy.command'), content: () => asCommand(task) },
    { label: text('copy.client'), content: () => asClient(task, origin) },
    { label: text('copy.workflow'), content: () => JSON.stringify(task.workflow, null, 2) },
    { label: text('copy.id'), content: () => task.id },
  ];
  return (
    <>
      <Menu
        label={text('copy.label')}
        trigger={
          <Button>
            {text('copy.label')}
            <ChevronDown size={16} strokeWidth={1.75} aria-hidden />
          </Button>
        }
        items={items.map(({ label, content }) => ({ label, onSelect: () => void copyAs(label, content()) }))}
      />
      {dialog}
    </>
  );
}
