import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import type { InstanceOutlook, TaskWhy } from '@switchyard/contract/dispatch/task-why';
import { useQuery } from '@tanstack/react-query';
import { reasonSentences } from '../../../kit/obstacles/obstacle-sentences.ts';
import { ReasonText, ReasonTexts } from '../../../kit/obstacles/reason-text.tsx';
import { useSentence } from '../../../kit/obstacles/use-sentence.ts';
import { QueryView } from '../../../kit/query-view.tsx';
import { Section } from '../../../kit/section.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { taskWhyQuery } from '../../../lib/data/tasks.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import { TaskEstimate } from '../task-progress.tsx';
import { helpSentences, whySentences } from './why-sentences.ts';

const askedAgainMs = 5_000;

/** Why the task is not done yet: a sentence, what is ahead of it, and what each instance says. */
export function TaskWhyNote({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const why = useQuery({ ...taskWhyQuery(task.id), refetchInterval: askedAgainMs });
  return (
    <Section title={task.status === 'pending' ? text('why.waits') : text('why.runs')}>
      <QueryView query={why}>{(data) => <Why why={data} task={task} />}</QueryView>
    </Section>
  );
}

function Why({ why, task }: { why: TaskWhy; task: TaskDetail }) {
  const text = useText('tasks');
  const { ahead } = why;
  return (
    <div className="flex flex-col gap-2">
      <Answer why={why} />
      {task.status === 'pending' ? (
        <p className="flex flex-wrap gap-x-3 text-table text-text-2">
          {why.position === null ? null : <span>{text('list.position', { position: why.position })}</span>}
          {ahead === null || ahead.total === 0 ? null : (
            <span>
              {text('why.ahead', { own: ahead.own, others: ahead.others, higher: ahead.higherPriority })}
            </span>
          )}
          <TaskEstimate task={{ ...task, eta: why.eta }} />
        </p>
      ) : null}
      <Help why={why} />
      {why.instances.length > 0 ? <Outlooks why={why} /> : null}
    </div>
  );
}

/** The answer in the language of the page, or as the gateway says it. */
function Answer({ why }: { why: TaskWhy }) {
  const say = useSentence('tasks');
  const format = useFormat();
  const instances = useQuery(instancesQuery());
  const nameOf = (id: string): string => {
    const found = instances.data?.find((instance) => instance.id === id);
    return found ? `${found.serverName} (${id})` : id;
  };
  const sentences = whySentences(why, nameOf);
  if (sentences === null) {
    return (
      <p className="text-body" lang="en">
        {why.waiting}
      </p>
    );
  }
  return <p className="text-body">{format.sentences(sentences.map(say))}</p>;
}

function Help({ why }: { why: TaskWhy }) {
  const help = helpSentences(why);
  if (help.length === 0) return null;
  return (
    <ul className="list-disc pl-5 text-body">
      {help.map((reasons, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is written whole with each answer
        <li key={place} className="break-words">
          <ReasonTexts reasons={reasons} />
        </li>
      ))}
    </ul>
  );
}

function Outlooks({ why }: { why: TaskWhy }) {
  const text = useText('tasks');
  return (
    <details open={why.totals.couldRun === 0}>
      <summary className="min-h-6 cursor-pointer text-table text-text-2">
        {text('why.instances', { could: why.totals.couldRun, all: why.totals.instances })}
      </summary>
      <ul className="mt-1 flex flex-col">
        {why.instances.map((outlook) => (
          <li key={outlook.instanceId} className="flex flex-col gap-1 border-b border-border py-2 text-table">
            <span className="flex items-center justify-between gap-3">
              <span className="min-w-0 truncate font-medium">{outlook.serverName}</span>
              <Outlook outlook={outlook} />
            </span>
            {reasonSentences(outlook).map((reason) => (
              <span key={reason.code} className="break-words text-text-2">
                <ReasonText reason={reason} />
              </span>
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Outlook({ outlook: { couldRun, reasons } }: { outlook: InstanceOutlook }) {
  const text = useText('tasks');
  if (reasons.length === 0) return <StatusWord kind="idle">{text('why.free')}</StatusWord>;
  if (couldRun) return <StatusWord kind="busy">{text('why.busy')}</StatusWord>;
  return <StatusWord kind="off">{text('why.cannot')}</StatusWord>;
}
