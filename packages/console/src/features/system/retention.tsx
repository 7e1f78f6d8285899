import type { SystemReport } from '@switchyard/contract/system';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { Section } from './section.tsx';

/** What will be deleted because it is old. */
export function Retention({ retention }: Pick<SystemReport, 'retention'>) {
  const text = useText('system');
  const format = useFormat();
  return (
    <Section title={text('retention.title')}>
      <ul className="flex flex-col">
        {retention.map(({ what, keptSeconds, nextAt, count, countIsMinimum, bytes }) => (
          <li key={what} className="border-b border-border py-1.5 text-table">
            <p className="font-medium">{text(`retention.what.${what}`)}</p>
            <p className="text-text-2">
              {keptSeconds === null
                ? text('retention.forever')
                : text('retention.kept', { time: format.duration(keptSeconds * 1_000) })}{' '}
              {keptSeconds !== null &&
                text(countIsMinimum ? 'retention.atLeast' : 'retention.count', {
                  count: format.count(count),
                })}
              {bytes !== null && bytes > 0 && ` (${format.bytes(bytes)})`}
            </p>
            {nextAt !== null && keptSeconds !== null && (
              <p className="text-text-2">
                {text('retention.next', { at: format.dateTime(new Date(nextAt)) })}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
