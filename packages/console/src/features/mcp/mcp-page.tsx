import {
  type McpTest,
  putMcpConfig,
  resetMcpCache,
  switchMcpServer,
  testMcpServer,
} from '@switchyard/contract/conversation/mcp';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { PageButton } from '../../kit/forms/page-button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { GatewayText } from '../../kit/gateway-text.tsx';
import { Menu } from '../../kit/menu.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { opensRow, rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { Switch } from '../../kit/switch.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { mcpKey, mcpQuery, type NamedServer } from './mcp-query.ts';
import { readServers } from './read-servers.ts';
import { ServerForm } from './server-form.tsx';

/** The servers whose tools agents can use. */
export function McpPage() {
  const text = useText('mcp');
  const { act } = useAct();
  const [isAdding, setAdding] = useState(false);
  const servers = useQuery(mcpQuery);
  const reload = useCommandHint('switchyard mcp reload');
  const hasServers = (servers.data?.length ?? 0) > 0;
  return (
    <Page
      title={text('title')}
      lead={text('lead')}
      actions={
        <>
          {hasServers && (
            <Button
              {...reload}
              onClick={() =>
                void act(() => gateway.call(resetMcpCache), { done: text('reloaded'), refresh: [mcpKey] })
              }
            >
              {text('reload')}
            </Button>
          )}
          <PageButton id="add-mcp-server" label={text('add')} icon={Plus} onClick={() => setAdding(true)} />
        </>
      }
    >
      <QueryView
        query={servers}
        isEmpty={(list) => list.length === 0}
        first={
          <EmptyState title={text('first.title')} command="switchyard mcp list">
            {text('first.cause')}
          </EmptyState>
        }
      >
        {(list) => (
          <ul>
            {list.map((named) => (
              <ServerRow key={named.name} named={named} />
            ))}
          </ul>
        )}
      </QueryView>
      {isAdding && <ServerForm onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** A server: on or off, its test, and what it offers. */
function ServerRow({ named }: { named: NamedServer }) {
  const text = useText('mcp');
  const { act } = useAct();
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const [tested, setTested] = useState<McpTest | 'busy' | null>(null);
  const { name, server } = named;
  const hint = useCommandHint(`switchyard mcp test ${name}`);
  const switchHint = useCommandHint(
    server.enabled ? `switchyard mcp disable ${name}` : `switchyard mcp enable ${name}`,
  );
  const test = async () => {
    setTested('busy');
    const isAnswered = await act(
      async () =>
        setTested(await gateway.call(testMcpServer, { params: { server_name: name }, timeoutMs: 310_000 })),
      { refresh: [[...mcpKey, 'test']] },
    );
    if (!isAnswered) setTested(null);
  };
  const turn = (enabled: boolean) =>
    void act(() => gateway.call(switchMcpServer, { body: { server_name: name, enabled } }), {
      refresh: [mcpKey],
    });
  const remove = async () => {
    setOpen(null);
    await act(
      async () => {
        const { [name]: _removed, ...others } = await readServers();
        await gateway.call(putMcpConfig, { body: { mcp_servers: others } });
      },
      { done: text('delete.done', { name }), refresh: [mcpKey] },
    );
  };
  return (
    <li {...rowMarks(name)} className={`flex flex-col gap-2 border-b border-border py-3 ${rowRing}`}>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <p className="font-medium">{name}</p>
          <p className="font-mono text-table break-all text-text-2">
            {server.type === 'http' ? server.url : [server.command, ...server.args].join(' ')}
          </p>
          {server.description && <p className="text-table break-words text-text-2">{server.description}</p>}
        </div>
        <div className="flex items-center gap-2">
          <Button {...hint} {...opensRow} size="s" isBusy={tested === 'busy'} onClick={() => void test()}>
            {text(tested === 'busy' ? 'test.busy' : 'test.open')}
          </Button>
          <span {...switchHint}>
            <Switch hideLabel label={text('enabledOf', { name })} checked={server.enabled} onChange={turn} />
          </span>
          <Menu
            label={text('actionsOf', { name })}
            items={[
              { label: text('edit.open'), onSelect: () => setOpen('edit') },
              {
                label: text('delete.open'),
                danger: true,
                separated: true,
                onSelect: () => setOpen('delete'),
              },
            ]}
          />
        </div>
      </div>
      {tested !== null && tested !== 'busy' && <TestResult result={tested} />}
      {open === 'edit' && <ServerForm named={named} onClose={() => setOpen(null)} />}
      <ConfirmDialog
        open={open === 'delete'}
        onClose={() => setOpen(null)}
        title={text('delete.title', { name })}
        confirm={text('delete.confirm')}
        onConfirm={() => void remove()}
      >
        <p>{text('delete.effect')}</p>
      </ConfirmDialog>
    </li>
  );
}

/** The answer of a server to a test, and its tools. */
function TestResult({ result: { success, tools, error, sentences } }: { result: McpTest }) {
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
