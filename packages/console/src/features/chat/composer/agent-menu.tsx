import { useQuery } from '@tanstack/react-query';
import { Check, SlidersHorizontal } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Menu } from '../../../kit/menu.tsx';
import {
  assistantNamed,
  assistantsQuery,
  type ListedAssistant,
  leadAgent,
} from '../../../lib/data/assistants.ts';
import { modelsQuery } from '../../../lib/data/models.ts';
import { useText } from '../../../lib/i18n.ts';
import type { AgentChoice } from '../model/agent-choice.ts';

export interface AgentMenuProps {
  choice: AgentChoice;
  onChoice: (change: Partial<AgentChoice>) => void;
}

type MenuItem = ComponentProps<typeof Menu>['items'][number];

/** The choice of the agent, its model, and what it may do by itself. A graph of the user's own has no such settings. */
export function AgentMenu({ choice, onChoice }: AgentMenuProps) {
  const text = useText('chat');
  const models = useQuery(modelsQuery()).data?.models ?? [];
  const assistants = useQuery(assistantsQuery).data ?? [];
  const chosen = assistantNamed(assistants, choice.agent ?? leadAgent);
  const isGraph = choice.agent !== null && chosen?.graph_id !== leadAgent;
  const model = isGraph ? undefined : (models.find(({ name }) => name === choice.model) ?? models[0]);
  const agentName = choice.agent === null ? text('agent.lead') : (chosen?.name ?? choice.agent);
  const item = (label: string, isOn: boolean, change: Partial<AgentChoice>, separated = false): MenuItem => ({
    label,
    separated,
    icon: <Check size={16} strokeWidth={1.75} aria-hidden className={isOn ? '' : 'invisible'} />,
    onSelect: () => onChoice(change),
  });
  const others = assistants.filter(
    ({ assistant_id: id }) => id !== assistantNamed(assistants, leadAgent)?.assistant_id,
  );
  const items = [
    item(text('agent.lead'), choice.agent === null, { agent: null }),
    ...others.map((assistant) =>
      item(assistant.name, assistant === chosen && choice.agent !== null, { agent: nameOf(assistant) }),
    ),
    ...(isGraph ? [] : settingsOf()),
  ];
  function settingsOf(): MenuItem[] {
    return [
      ...models.map(({ name, display_name }, place) =>
        item(display_name ?? name, model?.name === name, { model: place === 0 ? null : name }, place === 0),
      ),
      item(text('agent.plans'), choice.plans, { plans: !choice.plans }, true),
      item(text('agent.delegates'), choice.delegates, { delegates: !choice.delegates }),
    ];
  }
  const shown = model ? `${agentName} · ${model.display_name ?? model.name}` : agentName;
  return (
    <Menu
      label={text('agent.menu')}
      items={items}
      trigger={
        <Button
          variant="plain"
          className="max-w-64 min-w-0 shrink! font-normal!"
          aria-label={`${shown}: ${text('agent.menu')}`}
          icon={<SlidersHorizontal size={16} strokeWidth={1.75} aria-hidden />}
        >
          <span className="truncate" title={shown}>
            {shown}
          </span>
        </Button>
      }
    />
  );
}

/** As a run names it: a graph by its name, everything else by its id. */
function nameOf({ assistant_id, graph_id, metadata }: ListedAssistant): string {
  return metadata.created_by === 'system' ? graph_id : assistant_id;
}
