import type { SystemReport } from '@switchyard/contract/system';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { Section } from './section.tsx';

/** Work that repeats. */
export function Schedules({ schedules }: Pick<SystemReport, 'schedules'>) {
  const text = useText('system');
  const format = useFormat();
  return (
    <Section title={text('schedules.title')}>
      <ul className="flex flex-col">
        {schedules.map(({ kind, everySeconds, nextAt, lastError }) => (
          <li key={kind} className="border-b border-border py-1.5 text-table">
            <p className="flex flex-wrap justify-between gap-x-3">
              <span className="font-mono">{kind}</span>
              <span className="text-text-2 tabular-nums">
                {text('schedules.every', { time: format.duration(everySeconds * 1_000) })} ·{' '}
                {nextAt === null
                  ? text('schedules.now')
                  : text('schedules.next', { at: format.time(new Date(nextAt)) })}
              </span>
            </p>
            {lastError && <p className="break-words text-failed">{lastError}</p>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
