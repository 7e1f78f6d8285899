import type { SystemReport } from '@switchyard/contract/system';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { Section } from './section.tsx';

/** The processes of this gateway, and what each looks after. */
export function Replicas({ replicas }: Pick<SystemReport, 'replicas'>) {
  const text = useText('system');
  const words = useGatewayWords();
  return (
    <Section title={text('replicas.title', { count: replicas.length })}>
      <ul className="flex flex-col gap-2 text-table">
        {replicas.map(({ id, isThis, holds }) => (
          <li key={id} className="min-w-0">
            <p className="flex flex-wrap gap-x-2">
              <span className="font-mono break-all">{id}</span>
              {isThis && <span className="text-text-2">{text('replicas.this')}</span>}
            </p>
            <ul className="list-disc pl-5 text-text-2">
              {holds.map(({ key, what }) => (
                <li key={key} className="break-words">
                  {words.known(`lease.${kindOf(key)}`, what, { name: key.slice(key.indexOf(':') + 1) })}
                </li>
              ))}
              {holds.length === 0 && <li>{text('replicas.nothing')}</li>}
            </ul>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What stands before the name in the key of a lease: `channel:telegram`. */
function kindOf(key: string): string {
  return key.split(':', 1)[0] ?? key;
}
