import type { Agent } from '@switchyard/contract/conversation/agent';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { agentsQuery } from '../../lib/data/models.ts';
import { useText } from '../../lib/i18n.ts';
import { usePageAction } from '../../lib/page-actions.ts';
import { AgentForm } from './agent-form.tsx';
import { AgentRow } from './agent-row.tsx';

const createCommand = 'switchyard agents create painter --soul painter.md';

/** The user's own agents. */
export function AgentsPage() {
  const text = useText('agents');
  const agents = useQuery(agentsQuery());
  const [edited, setEdited] = useState<Agent | 'new' | null>(null);
  const hint = useCommandHint(createCommand);
  usePageAction({ id: 'create-agent', label: text('create'), run: () => setEdited('new') });
  return (
    <Page
      title={text('title')}
      lead={text('lead')}
      actions={
        <Button
          {...hint}
          variant="solid"
          icon={<Plus size={16} strokeWidth={1.75} aria-hidden />}
          onClick={() => setEdited('new')}
        >
          {text('create')}
        </Button>
      }
    >
      <QueryView
        query={agents}
        isEmpty={(list) => list.agents.length === 0}
        first={<EmptyState title={text('first.title')}>{text('first.cause')}</EmptyState>}
      >
        {(list) => (
          <ul>
            {list.agents.map((agent) => (
              <AgentRow key={agent.name} agent={agent} onEdit={() => setEdited(agent)} />
            ))}
          </ul>
        )}
      </QueryView>
      {edited !== null && (
        <AgentForm name={edited === 'new' ? null : edited.name} onClose={() => setEdited(null)} />
      )}
    </Page>
  );
}
