import { resetMcpCache } from '@switchyard/contract/conversation/mcp';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { PageButton } from '../../kit/forms/page-button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { mcpKey, mcpQuery } from './mcp-query.ts';
import { ServerForm } from './server-form.tsx';
import { ServerRow } from './server-row.tsx';

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
