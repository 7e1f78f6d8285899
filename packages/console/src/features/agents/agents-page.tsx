import type { Agent } from '@switchyard/contract/conversation/agent';
import { deleteAgent, getAgent } from '@switchyard/contract/conversation/agents';
import type { Graph } from '@switchyard/contract/conversation/graphs';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button, LinkButton } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { ConfirmedButton } from '../../kit/forms/confirmed-button.tsx';
import { PageButton } from '../../kit/forms/page-button.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { opensRow, rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { graphsQuery } from '../../lib/data/assistants.ts';
import { agentsQuery } from '../../lib/data/models.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { AgentFields } from './agent-fields.tsx';
import { agentsKey } from './agents-key.ts';

const createCommand = 'switchyard agents create painter --soul painter.md';

/** The agents that the user has made, and the graphs of the gateway. */
export function AgentsPage() {
  const text = useText('agents');
  const agents = useQuery(agentsQuery());
  const graphs = useQuery(graphsQuery);
  const [edited, setEdited] = useState<Agent | 'new' | null>(null);
  return (
    <Page
      title={text('title')}
      lead={text('lead')}
      actions={
        <PageButton
          id="create-agent"
          label={text('create')}
          icon={Plus}
          command={createCommand}
          onClick={() => setEdited('new')}
        />
      }
    >
      <h2 className="text-lead font-semibold">{text('yours')}</h2>
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
      <h2 className="text-lead font-semibold">{text('graphs.title')}</h2>
      <p className="max-w-[48rem] text-body text-text-2">{text('graphs.lead')}</p>
      <QueryView query={graphs}>
        {({ graphs: list, faults }) => (
          <ul>
            {list.map((graph) => (
              <GraphRow key={graph.graph_id} graph={graph} />
            ))}
            {faults.map(({ name, fault }) => (
              <li key={name} className="border-b border-border py-3">
                <p className="flex flex-wrap items-center gap-x-3 font-medium">
                  {name}
                  <StatusWord kind="failed">{text('graphs.refused')}</StatusWord>
                </p>
                <p className="max-w-[48rem] text-body break-words text-failed">{fault}</p>
              </li>
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

/** An agent: what it is for, and what it has. */
function AgentRow({ agent, onEdit }: { agent: Agent; onEdit: () => void }) {
  const text = useText('agents');
  const { name, description, model, tool_groups: tools, skills } = agent;
  const editHint = useCommandHint(`switchyard agents change ${name}`);
  const deleteHint = useCommandHint(`switchyard agents delete ${name}`);
  const parts = [
    model ?? text('defaultModel'),
    tools === null ? text('allTools') : text('tools', { count: tools.length }),
    skills === null ? text('allSkills') : text('skills', { count: skills.length }),
  ];
  return (
    <li
      {...rowMarks(name)}
      className={`flex items-start justify-between gap-4 border-b border-border py-3 ${rowRing}`}
    >
      <div className="min-w-0">
        <p className="font-medium">{name}</p>
        <p className="max-w-[48rem] text-body break-words">{description}</p>
        <p className="text-table text-text-2">{parts.join(' · ')}</p>
      </div>
      <div className="flex shrink-0 flex-wrap justify-end gap-1">
        <TalkLink name={name} />
        <Button
          {...editHint}
          {...opensRow}
          size="s"
          variant="plain"
          aria-label={text('editOf', { name })}
          onClick={onEdit}
        >
          {text('edit')}
        </Button>
        <ConfirmedButton
          {...deleteHint}
          variant="plain"
          aria-label={text('delete.of', { name })}
          question={{
            title: text('delete.title', { name }),
            effect: text('delete.effect'),
            confirm: text('delete.confirm'),
          }}
          work={() => gateway.call(deleteAgent, { params: { name } })}
          done={text('delete.done', { name })}
          refresh={agentsKey}
        >
          {text('delete.open')}
        </ConfirmedButton>
      </div>
    </li>
  );
}

const blank: Agent = { name: '', description: '', model: null, tool_groups: null, skills: null, soul: '' };

/** Makes or changes an agent. Lists do not hold the soul, so it is read first. */
function AgentForm({
  name,
  onClose,
}: {
  /** The agent to change; null makes a new one. */
  name: string | null;
  onClose: () => void;
}) {
  const text = useText('agents');
  const agent = useQuery({
    queryKey: [...agentsKey, name],
    queryFn: ({ signal }) => gateway.call(getAgent, { params: { name: name ?? '' }, signal }),
    enabled: name !== null,
    staleTime: 0,
    gcTime: 0,
  });
  if (name === null) return <AgentFields agent={blank} isNew onClose={onClose} />;
  if (agent.data) return <AgentFields agent={agent.data} isNew={false} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={text('editOf', { name })} wide>
      <QueryView query={agent}>{() => null}</QueryView>
    </Dialog>
  );
}

/** A graph of the gateway: where it comes from, and why it cannot be used. */
function GraphRow({ graph }: { graph: Graph }) {
  const text = useText('agents');
  const { graph_id: name, description, file, export: exported, state, fault } = graph;
  return (
    <li
      {...rowMarks(name)}
      className={`flex items-start justify-between gap-4 border-b border-border py-3 ${rowRing}`}
    >
      <div className="flex min-w-0 flex-col gap-0.5">
        <p className="flex flex-wrap items-center gap-x-3 font-medium">
          {name}
          <StatusWord kind={fault === null ? 'done' : 'failed'}>{text(`graphs.${state}`)}</StatusWord>
        </p>
        {description === null ? null : <p className="max-w-[48rem] text-body break-words">{description}</p>}
        {file === null ? null : (
          <code className="font-mono text-table break-all text-text-2">
            {file}:{exported}
          </code>
        )}
        {fault === null ? null : <p className="max-w-[48rem] text-body break-words text-failed">{fault}</p>}
      </div>
      {fault === null ? <TalkLink name={name} /> : null}
    </li>
  );
}

/** Begins a conversation with this agent. */
function TalkLink({ name }: { name: string }) {
  const text = useText('agents');
  return (
    <LinkButton
      size="s"
      variant="plain"
      className="shrink-0"
      href={`/chat?agent=${encodeURIComponent(name)}`}
      aria-label={text('talkTo', { name })}
    >
      {text('talk')}
    </LinkButton>
  );
}
