import type { McpTest } from '@switchyard/contract/conversation/mcp';
import { GatewayText } from '../../kit/gateway-text.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { useText } from '../../lib/i18n.ts';

/** What a server answered, and which tools it has. */
export function TestResult({ result: { success, tools, error, sentences } }: { result: McpTest }) {
  const text = useText('mcp');
  return (
    <div
      role="status"
      className="flex flex-col gap-1 rounded-card border border-border bg-surface p-3 text-table"
    >
      <StatusWord kind={success ? 'done' : 'failed'}>
        {success ? text('test.done', { count: tools.length }) : text('test.failed')}
      </StatusWord>
      {error && (
        <p className="break-words">
          <GatewayText message={error} sentences={sentences} />
        </p>
      )}
      <ul className="flex flex-col gap-1">
        {tools.map(({ name, description, input_schema }) => (
          <li key={name}>
            <details>
              <summary className="cursor-pointer">
                <span className="font-mono font-medium">{name}</span>{' '}
                <span className="text-text-2">{description}</span>
              </summary>
              <pre className="mt-1 overflow-x-auto rounded-control bg-sunken p-2 font-mono text-meta">
                {JSON.stringify(input_schema, null, 2)}
              </pre>
            </details>
          </li>
        ))}
      </ul>
    </div>
  );
}
