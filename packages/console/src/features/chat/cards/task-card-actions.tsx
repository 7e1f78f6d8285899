import type { Instance } from '@switchyard/contract/dispatch/instance';
import { cancelTask, retryTask } from '@switchyard/contract/dispatch/tasks';
import { useQuery } from '@tanstack/react-query';
import { Button, LinkButton } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { Menu } from '../../../kit/menu.tsx';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import type { TaskCardView } from '../model/task-card.ts';
import { useNavigation } from '../use-navigation.ts';

/** What can be done with a task: stop it while it is open, and run it again when it has failed. */
export function TaskCardActions({
  view: { taskId, phase, instanceId },
  isOpen,
}: {
  view: TaskCardView;
  isOpen: boolean;
}) {
  const text = useText('chat');
  const { act, isBusy } = useAct();
  const hint = useCommandHint(taskId === null ? undefined : `switchyard tasks cancel ${taskId}`);
  if (taskId === null) return null;
  const cancel = () => void act(() => gateway.call(cancelTask, { params: { taskId } }));
  const canRetry = phase === 'failed' || phase === 'cancelled';
  return (
    <footer className="flex flex-wrap gap-2">
      {isOpen ? (
        <Button {...hint} size="s" disabled={isBusy} onClick={cancel}>
          {text('task.cancel')}
        </Button>
      ) : null}
      {canRetry ? <RetryElsewhere taskId={taskId} failedOn={instanceId} /> : null}
      <LinkButton size="s" variant="plain" href={`/tasks/${taskId}`}>
        {text('task.open')}
      </LinkButton>
    </footer>
  );
}

/** Runs a copy of the task on another instance, or on any. The copy is a task of its own: the agent is not told of it. */
function RetryElsewhere({ taskId, failedOn }: { taskId: string; failedOn: string | null }) {
  const text = useText('chat');
  const { act, isBusy } = useAct();
  const openPage = useNavigation();
  const instances = useQuery(instancesQuery());
  const retry = (instanceId?: string) =>
    void act(() => gateway.call(retryTask, { params: { taskId }, query: { instanceId } }), {
      done: ({ id }) => ({
        text: text('task.retried'),
        action: { label: text('task.open'), run: () => openPage(`/tasks/${id}`) },
      }),
    });
  const others = (instances.data ?? []).filter((instance) => instance.id !== failedOn && isUsable(instance));
  const choices = others.map(({ id, serverName }) => ({
    label: text('task.retryOn', { name: `${serverName} (${id})` }),
    onSelect: () => retry(id),
  }));
  return (
    <Menu
      label={text('task.retry')}
      trigger={
        <Button size="s" disabled={isBusy}>
          {text('task.retry')}
        </Button>
      }
      items={[
        {
          label: text('task.retryAnywhere'),
          command: `switchyard tasks retry ${taskId}`,
          onSelect: () => retry(),
        },
        ...choices,
      ]}
    />
  );
}

function isUsable({ enabled, alive, draining }: Instance): boolean {
  return enabled && alive && !draining;
}
