import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { useQuery } from '@tanstack/react-query';
import { Section } from '../../../kit/section.tsx';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useNow } from '../../../lib/format/use-now.ts';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import { type AttemptBar, layOutAttempts } from './attempt-layout.ts';

/** The attempts of a task on one time axis, a line for each instance that had it. */
export function AttemptsStrip({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const format = useFormat();
  const words = useGatewayWords();
  const now = useNow();
  const instances = useQuery(instancesQuery());
  if (task.attempts.length === 0) return null;
  const strip = layOutAttempts(task.attempts, { createdAt: task.createdAt, nowMs: now });
  const nameOf = (instanceId: string) =>
    instances.data?.find(({ id }) => id === instanceId)?.serverName ?? instanceId;
  return (
    <Section
      title={text('attempts.title')}
      aside={<span className="text-table text-text-2">{format.duration(strip.toMs - strip.fromMs)}</span>}
    >
      <div aria-hidden className="flex flex-col gap-1">
        {strip.instances.map(({ instanceId, bars }) => (
          <div key={instanceId} className="flex items-center gap-2 text-table">
            <span className="w-28 shrink-0 truncate">{nameOf(instanceId)}</span>
            <span className="relative h-5 flex-1 rounded-control bg-sunken forced-colors:border">
              {bars.map((bar) => (
                <span
                  key={bar.attempt}
                  className={`absolute inset-y-0.5 rounded-control forced-colors:bg-[CanvasText] ${colourOf(bar)}`}
                  style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
                />
              ))}
            </span>
          </div>
        ))}
      </div>
      <ol className="flex flex-col gap-1 text-table">
        {task.attempts.map(({ attempt, instanceId, outcome, error, startedAt, endedAt }) => (
          <li key={attempt} className="break-words">
            {text('attempts.line', {
              attempt,
              instance: nameOf(instanceId),
              outcome: outcome === null ? 'running' : outcome === 'completed' ? 'completed' : 'other',
              time: format.duration((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt)),
            })}
            {error === null ? null : (
              <span className="text-text-2"> · {words.said(error).split('\n')[0]}</span>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function colourOf({ outcome }: AttemptBar): string {
  if (outcome === null) return 'bg-running';
  return outcome === 'completed' ? 'bg-done' : 'bg-failed';
}
