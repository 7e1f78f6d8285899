import type { SystemReport } from '@switchyard/contract/system';
import { StatusWord } from '../../kit/status-word.tsx';
import { blank } from '../../lib/format/format.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { Section } from './section.tsx';

/** What the gateway needs, and how fast it answers. */
export function Dependencies({ dependencies }: Pick<SystemReport, 'dependencies'>) {
  const text = useText('system');
  const words = useGatewayWords();
  const format = useFormat();
  return (
    <Section title={text('dependencies.title')}>
      <ul className="flex flex-col">
        {dependencies.map(({ name, kind, ok, latencyMs, detail }) => (
          <li
            key={name}
            className="grid grid-cols-[1fr_auto_6rem] items-center gap-x-3 border-b border-border py-1.5 text-table"
          >
            <span className="min-w-0">
              <span className="font-medium">{words.known(`dependency.${name}`, name)}</span>{' '}
              <span className="text-text-2">{kind}</span>
              {detail && (
                <span className="block break-words text-text-2">
                  {kind === 'memory' ? words.known('dependency.inProcess', detail) : detail}
                </span>
              )}
            </span>
            <StatusWord kind={ok ? 'done' : 'failed'}>
              {text(ok ? 'dependencies.ok' : 'dependencies.away')}
            </StatusWord>
            <span className="text-right tabular-nums">
              {latencyMs === null
                ? blank
                : text('dependencies.latency', { ms: format.count(Math.round(latencyMs)) })}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
