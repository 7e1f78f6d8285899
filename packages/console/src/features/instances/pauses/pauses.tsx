import { type Pause, type PauseScope, pauseQueue, resumeQueue } from '@switchyard/contract/dispatch/queue';
import { shellWord } from '@switchyard/contract/shell-word';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { Field } from '../../../kit/field.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { QueryView } from '../../../kit/query-view.tsx';
import { rowMarks, rowRing } from '../../../kit/rows/row-marks.ts';
import { Select } from '../../../kit/select.tsx';
import { EmptyState } from '../../../kit/states/empty-state.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { keys } from '../../../lib/data/keys.ts';
import { queueQuery } from '../../../lib/data/overview.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { useSession } from '../../../lib/session.ts';

type Target = Pick<Pause, 'scope' | 'target'>;

/** Pauses that are in force, and the form for another one. A member may pause the tasks of this member alone. */
export function Pauses() {
  const text = useText('instances');
  const queue = useQuery(queueQuery());
  return (
    <div className="flex max-w-[40rem] flex-col gap-6">
      <QueryView
        query={queue}
        isEmpty={({ pauses }) => pauses.length === 0}
        first={<EmptyState title={text('pause.none')}>{text('pause.how')}</EmptyState>}
      >
        {({ pauses }) => (
          <ul className="flex flex-col">
            {pauses.map((pause) => (
              <PauseRow key={`${pause.scope} ${pause.target ?? ''} ${pause.by}`} pause={pause} />
            ))}
          </ul>
        )}
      </QueryView>
      <PauseForm />
    </div>
  );
}

function PauseRow({ pause }: { pause: Pause }) {
  const text = useText('instances');
  const { isAdmin } = useSession();
  const { act, isBusy } = useAct();
  const hint = useCommandHint(`switchyard tasks resume${scopeOptions(pause)}`);
  const resume = () =>
    void act(() => gateway.call(resumeQueue, { body: bodyOf(pause) }), {
      refresh: [keys.queue, keys.overview],
    });
  return (
    <li
      {...rowMarks(`${pause.scope} ${pause.target ?? ''} ${pause.by}`)}
      className={`flex flex-wrap items-center justify-between gap-3 border-b border-border py-3 ${rowRing}`}
    >
      <div className="min-w-0">
        <StatusWord kind="paused">
          {text(`pause.of.${pause.scope}`, { target: pause.target ?? '' })}
        </StatusWord>
        <p className="text-table break-words text-text-2">
          {pause.reason ?? text('pause.noReason')} · <TimeAgo at={pause.since} />
        </p>
      </div>
      {isAdmin || pause.by === 'owner' ? (
        <Button {...hint} isBusy={isBusy} onClick={resume}>
          {text('pause.resume')}
        </Button>
      ) : (
        <span className="text-table text-text-2">{text('pause.adminOnly')}</span>
      )}
    </li>
  );
}

function PauseForm() {
  const text = useText('instances');
  const { isAdmin, id } = useSession();
  const { act, isBusy } = useAct();
  const instances = useQuery(instancesQuery());
  const [choice, setChoice] = useState('user:');
  const [reason, setReason] = useState('');
  const pools = [...new Set(instances.data?.flatMap(({ tags }) => tags))].sort();
  const options = [
    { value: 'user:', label: text('pause.mine') },
    ...(isAdmin
      ? [
          { value: 'all:', label: text('pause.all') },
          ...pools.map((tag) => ({ value: `pool:${tag}`, label: text('pause.pool', { tag }) })),
        ]
      : []),
  ];
  const words = reason.trim();
  const [scope = 'user', ...rest] = choice.split(':');
  const chosen: Target = {
    scope: scope as PauseScope,
    target: (scope === 'user' ? id : rest.join(':')) || null,
  };
  const said = words ? ` --reason ${shellWord(words)}` : '';
  const hint = useCommandHint(
    `switchyard tasks pause${scope === 'user' ? ' --mine' : scopeOptions(chosen)}${said}`,
  );
  const pause = () => {
    const body = { ...bodyOf(chosen), ...(words && { reason: words }) };
    void act(() => gateway.call(pauseQueue, { body }), {
      refresh: [keys.queue, keys.overview],
      onDone: () => setReason(''),
    });
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        pause();
      }}
    >
      <h2 className="text-body font-semibold">{text('pause.title')}</h2>
      <Field label={text('pause.what')}>
        <Select label={text('pause.what')} value={choice} options={options} onChange={setChoice} />
      </Field>
      <Field label={text('pause.reason')} hint={text('pause.reasonHint')}>
        <TextInput value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
      <Button {...hint} type="submit" isBusy={isBusy} className="self-start">
        {text('pause.confirm')}
      </Button>
    </form>
  );
}

function scopeOptions({ scope, target }: Target): string {
  return scope === 'all' || target === null ? '' : ` --${scope} ${shellWord(target)}`;
}

function bodyOf({ scope, target }: Target) {
  return { scope, ...(target !== null && scope !== 'all' && { target }) };
}
