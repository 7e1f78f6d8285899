import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { useMemo, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { LongText } from '../../../kit/long-text.tsx';
import { Section } from '../../../kit/section.tsx';
import { useText } from '../../../lib/i18n.ts';
import { inputGroups } from './input-rows.ts';

/** So many nodes are shown at first, and so many at most; the JSON has all of them. */
const firstGroups = 6;
const maxGroups = 60;

/** What the task was given: as a form that is only read, or as JSON. */
export function TaskInput({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const [asJson, setAsJson] = useState(false);
  return (
    <Section
      title={text('input.title')}
      aside={
        <Button size="s" variant="plain" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
          {asJson ? text('input.asForm') : text('input.asJson')}
        </Button>
      }
    >
      {asJson ? <InputJson task={task} /> : <InputForm task={task} />}
    </Section>
  );
}

function InputForm({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const [whole, setWhole] = useState(task.error?.node !== undefined);
  const groups = useMemo(() => inputGroups(task.workflow, task.params), [task.workflow, task.params]);
  return (
    <div className="@container flex flex-col gap-3">
      <div className="grid gap-x-8 gap-y-3 @2xl:grid-cols-2">
        {groups.slice(0, whole ? maxGroups : firstGroups).map(({ node, title, inputs }) => (
          <div key={node} id={`node-${node}`} className="scroll-mt-16 border-t border-border pt-2">
            <h3 className="text-table font-medium">
              {title} <span className="font-normal text-text-3">{node}</span>
            </h3>
            <dl className="mt-1 grid grid-cols-[minmax(6rem,12rem)_1fr] gap-x-4 gap-y-1 text-table">
              {inputs.map(({ name, value, changed }) => (
                <div key={name} className="contents">
                  <dt className="truncate text-text-2">{name}</dt>
                  <dd className={`line-clamp-4 min-w-0 break-words ${changed ? 'font-medium' : ''}`}>
                    {value}
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
      {!whole && groups.length > firstGroups ? (
        <Button size="s" variant="plain" className="self-start" onClick={() => setWhole(true)}>
          {text('input.showAll', { count: groups.length })}
        </Button>
      ) : null}
      {whole && groups.length > maxGroups ? (
        <p className="text-table text-text-2">{text('input.cut', { count: groups.length - maxGroups })}</p>
      ) : null}
    </div>
  );
}

function InputJson({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const json = useMemo(
    () => JSON.stringify({ workflow: task.workflow, params: task.params }, null, 2),
    [task.workflow, task.params],
  );
  return <LongText text={json} label={text('input.title')} />;
}
