import type { Agent } from '@switchyard/contract/conversation/agent';
import { getAgent } from '@switchyard/contract/conversation/agents';
import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../../kit/dialog.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { AgentFields } from './agent-fields.tsx';
import { agentsKey } from './agents-key.ts';

interface AgentFormProps {
  /** The agent to change; null makes a new one. */
  name: string | null;
  onClose: () => void;
}

const blank: Agent = { name: '', description: '', model: null, tool_groups: null, skills: null, soul: '' };

/** Makes or changes an agent. Lists do not hold the soul, so it is read first. */
export function AgentForm({ name, onClose }: AgentFormProps) {
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
