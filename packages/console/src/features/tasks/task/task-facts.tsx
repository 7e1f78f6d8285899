import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { GatewayText } from '../../../kit/gateway-text.tsx';
import { Section } from '../../../kit/section.tsx';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';

/** The origin of the task, and its smaller settings. */
export function TaskFacts({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const format = useFormat();
  const { conversation, savedWorkflow, warnings, tags } = task;
  const output = task.result?.outputs[0]?.fileId;
  return (
    <Section title={text('facts.title')}>
      <dl className="grid grid-cols-[minmax(6rem,12rem)_1fr] gap-x-4 gap-y-1 text-table">
        <Fact name={text('facts.id')}>
          <span className="font-mono break-all">{task.id}</span>
        </Fact>
        <Fact name={text('facts.note')}>
          {task.note && <span className="whitespace-pre-line">{task.note}</span>}
        </Fact>
        <Fact name={text('column.created')}>{format.dateTime(new Date(task.createdAt))}</Fact>
        <Fact name={text('facts.workflow')}>
          {savedWorkflow && (
            <FactLink href={`/workflows/${savedWorkflow.workflowId}`}>
              {text('facts.version', { version: savedWorkflow.version })}
            </FactLink>
          )}
        </Fact>
        <Fact name={text('facts.chat')}>
          {conversation && (
            <>
              <FactLink href={`/chat/${conversation.threadId}`}>
                {conversation.agent ?? text('facts.openChat')}
              </FactLink>
              {' · '}
              <FactLink href={`/runs/${conversation.threadId}/${conversation.runId}`}>
                {text('facts.run')}
              </FactLink>
            </>
          )}
        </Fact>
        <Fact name={text('facts.lineage')}>
          {output && <FactLink href={`/gallery?file=${output}`}>{text('facts.openLineage')}</FactLink>}
        </Fact>
        <Fact name={text('facts.tags')}>
          {tags.length > 0 && (
            <span className="flex flex-wrap gap-x-2">
              {tags.map((tag) => (
                <FactLink key={tag} href={`/tasks?tag=${encodeURIComponent(tag)}`}>
                  {tag}
                </FactLink>
              ))}
            </span>
          )}
        </Fact>
        <Fact name={text('facts.priority')}>{task.priority !== 0 && format.count(task.priority)}</Fact>
        <Fact name={text('facts.pool')}>{task.pool}</Fact>
        <Fact name={text('facts.pinned')}>{task.pinnedInstanceId}</Fact>
        <Fact name={text('facts.warnings')}>
          {warnings.length > 0 &&
            warnings.map((warning, index) => (
              <p key={warning}>
                <GatewayText message={warning} sentences={task.warningSentences[index]} />
              </p>
            ))}
        </Fact>
      </dl>
    </Section>
  );
}

/** The row is left out when the task has no such value. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <>
      <dt className="text-text-2">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function FactLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="text-accent hover:underline">
      {children}
    </Link>
  );
}
