import type { Instance } from '@switchyard/contract/dispatch/instance';
import { useState } from 'react';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { GatewayText } from '../../../kit/gateway-text.tsx';
import { RowLink } from '../../../kit/rows/row-link.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { Switch } from '../../../kit/switch.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { useText } from '../../../lib/i18n.ts';
import { useSession } from '../../../lib/session.ts';
import { glyphOfState } from '../instance-state.ts';
import { useInstanceActions } from '../use-instance-actions.ts';
import { DeviceMemory } from './device-memory.tsx';
import { InstanceMenu } from './instance-menu.tsx';
import { RunningNow } from './running-now.tsx';

/** One instance: one word for its state, and what it does now. */
export function InstanceCard({ instance }: { instance: Instance }) {
  const text = useText('instances');
  const { isAdmin } = useSession();
  const name = instance.serverName;
  return (
    <article className="flex w-full min-w-0 flex-col gap-3 rounded-card border border-border bg-surface p-4">
      <header className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="truncate text-lead font-semibold">
            <RowLink
              href={`/instances/${encodeURIComponent(instance.id)}`}
              command={`switchyard instances show ${instance.id}`}
              className="rounded-control hover:underline"
            >
              {name}
            </RowLink>
          </h2>
          <p className="truncate text-table text-text-2">
            <span className="font-mono">{instance.id}</span> · {text(`kind.${instance.kind}`)}
          </p>
        </div>
        {isAdmin ? <InstanceMenu instance={instance} /> : null}
      </header>
      <InstanceStateLine instance={instance} />
      <RunningNow instance={instance} />
      <DeviceMemory instance={instance} />
      <footer className="mt-auto flex min-h-8 items-center justify-between gap-2 border-t border-border pt-2 text-table text-text-2">
        <span className="flex min-w-0 flex-wrap gap-x-2">
          {instance.version === null ? null : (
            <span>{text('card.version', { version: instance.version })}</span>
          )}
          {instance.tags.map((tag) => (
            <span key={tag} className="rounded-full bg-sunken px-2">
              {tag}
            </span>
          ))}
        </span>
        {isAdmin ? <EnableSwitch instance={instance} /> : null}
      </footer>
    </article>
  );
}

export function InstanceStateLine({ instance }: { instance: Instance }) {
  const text = useText('instances');
  const { state, currentTaskId, lastHeartbeat, since, lastError } = instance;
  const left = currentTaskId === null ? 0 : 1;
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center justify-between gap-2">
        <StatusWord kind={glyphOfState[state]} tinted>
          {state === 'draining' ? text('state.drainingLeft', { left }) : text(`state.${state}`)}
        </StatusWord>
        <span className="text-table text-text-2">
          {instance.alive ? text('card.heartbeat') : text('card.since')}{' '}
          <TimeAgo at={instance.alive ? lastHeartbeat : since} />
        </span>
      </p>
      {lastError !== null && !instance.alive && instance.enabled ? (
        <p className="line-clamp-3 text-table break-words text-failed">
          <GatewayText message={lastError} sentences={instance.lastErrorSentences} />
        </p>
      ) : null}
    </div>
  );
}

/** Off means a drain: nothing new is given, and what runs finishes. */
export function EnableSwitch({ instance }: { instance: Instance }) {
  const text = useText('instances');
  const { enable, disable } = useInstanceActions(instance.id);
  const [wanted, setWanted] = useState<boolean | null>(null);
  const { id } = instance;
  const hint = useCommandHint(
    instance.enabled ? `switchyard instances disable ${id}` : `switchyard instances enable ${id}`,
  );
  const turn = async (on: boolean) => {
    setWanted(on);
    await (on ? enable() : disable());
    setWanted(null);
  };
  return (
    <span {...hint}>
      <Switch
        label={text('card.takesTasks')}
        checked={wanted ?? instance.enabled}
        disabled={wanted !== null}
        onChange={(on) => void turn(on)}
      />
    </span>
  );
}
