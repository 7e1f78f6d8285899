import type { Instance } from '@switchyard/contract/dispatch/instance';
import { workerUrl } from '@switchyard/contract/dispatch/worker-address';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CommandLine } from '../../../kit/command-line.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { Menu } from '../../../kit/menu.tsx';
import type { MenuItem } from '../../../kit/parts/menu-item.ts';
import { serversQuery } from '../../../lib/data/instances.ts';
import { useText } from '../../../lib/i18n.ts';
import { useInstanceActions } from '../use-instance-actions.ts';

/** The actions of administrators on an instance, besides switching it off. */
export function InstanceMenu({ instance }: { instance: Instance }) {
  const text = useText('instances');
  const [question, setQuestion] = useState<'stop' | 'remove' | null>(null);
  const actions = useInstanceActions(instance.id);
  const { id, serverName: name, currentTaskId } = instance;
  const { data: servers } = useQuery(serversQuery());
  const server = servers?.find((each) => each.id === instance.serverId);
  const works = currentTaskId !== null;
  const commands = {
    stop: `switchyard instances disable ${id} --force`,
    remove: `switchyard instances remove ${id}`,
  };
  const items: MenuItem[] = [
    {
      label: text('menu.test'),
      command: `switchyard instances test ${id}`,
      onSelect: () => void actions.test(),
      disabled: actions.isBusy,
    },
    instance.enabled
      ? {
          label: text('menu.drain'),
          command: `switchyard instances disable ${id}`,
          onSelect: () => void actions.disable(),
        }
      : {
          label: text('menu.enable'),
          command: `switchyard instances enable ${id}`,
          onSelect: () => void actions.enable(),
        },
    ...(works
      ? [{ label: text('menu.stop'), command: commands.stop, onSelect: () => setQuestion('stop') }]
      : []),
    { label: text('menu.tasks'), href: `/tasks?instance=${encodeURIComponent(id)}`, separated: true },
    ...(instance.kind === 'comfyui'
      ? [{ label: text('menu.openWorker'), href: workerUrl(instance, server ?? {}), newTab: true }]
      : []),
    {
      label: text('menu.remove'),
      command: commands.remove,
      danger: true,
      separated: true,
      onSelect: () => (works ? setQuestion('remove') : void actions.remove()),
    },
  ];
  const confirm = () => {
    void (question === 'stop' ? actions.disable({ force: true }) : actions.remove());
    setQuestion(null);
  };
  return (
    <>
      <Menu label={text('menu.label', { name })} items={items} />
      {question === null ? null : (
        <ConfirmDialog
          open
          onClose={() => setQuestion(null)}
          title={text(`${question}.title`, { name })}
          confirm={text(`${question}.confirm`)}
          onConfirm={confirm}
        >
          <p>{text(`${question}.effect`)}</p>
          <CommandLine command={commands[question]} />
        </ConfirmDialog>
      )}
    </>
  );
}
