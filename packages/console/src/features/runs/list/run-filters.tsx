import { runStatuses } from '@switchyard/contract/conversation/run';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { Button } from '../../../kit/button.tsx';
import { Select } from '../../../kit/select.tsx';
import { Switch } from '../../../kit/switch.tsx';
import { useQueryState } from '../../../lib/address.ts';
import { useAgentNames } from '../../../lib/data/assistants.ts';
import { usageQuery } from '../../../lib/data/usage.ts';
import { useText } from '../../../lib/i18n.ts';
import { useSession } from '../../../lib/session.ts';

/** Offered are the agents and models that were used in these days. */
const offeredDays = 90;

/** The filters stand in the address. */
export function RunFilters() {
  const text = useText('runs');
  const { isAdmin } = useSession();
  const [status, setStatus] = useQueryState('status');
  const [agent, setAgent] = useQueryState('agent');
  const [model, setModel] = useQueryState('model');
  const [thread, setThread] = useQueryState('thread');
  const [scope, setScope] = useQueryState('scope');
  const { data } = useQuery(
    usageQuery({ days: offeredDays, scope: isAdmin && scope === 'all' ? 'all' : 'own' }),
  );
  const agents = data?.by_agent.flatMap((each) => each.agent ?? []) ?? [];
  const agentName = useAgentNames(agent === null ? agents : [...agents, agent]);
  const models = Object.keys(data?.by_model ?? {});
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Choice
        label={text('totals.status')}
        every={text('list.everyStatus')}
        value={status}
        options={runStatuses.map((value) => ({ value, label: text(`status.${value}`) }))}
        onChange={setStatus}
      />
      <Choice
        label={text('list.agent')}
        every={text('list.everyAgent')}
        value={agent}
        options={named(agents, agent, agentName)}
        onChange={setAgent}
      />
      <Choice
        label={text('list.model')}
        every={text('list.everyModel')}
        value={model}
        options={named(models, model, (name) => name)}
        onChange={setModel}
      />
      {thread === null ? null : (
        <Button size="s" icon={<X size={14} aria-hidden />} onClick={() => setThread(null)}>
          {text('list.oneThread')}
        </Button>
      )}
      {isAdmin ? (
        <Switch
          label={text('list.allUsers')}
          checked={scope === 'all'}
          onChange={(all) => setScope(all ? 'all' : null)}
        />
      ) : null}
    </div>
  );
}

function Choice({
  label,
  every,
  value,
  options,
  onChange,
}: {
  label: string;
  every: string;
  value: string | null;
  options: readonly { value: string; label: string }[];
  onChange: (value: string | null) => void;
}) {
  return (
    <Select
      label={label}
      value={value ?? ''}
      options={[{ value: '', label: every }, ...options]}
      onChange={(next) => onChange(next === '' ? null : next)}
    />
  );
}

/** Adds the name in the address to the choices, even when it was not used lately. */
function named(
  names: readonly string[],
  current: string | null,
  nameOf: (name: string) => string,
): { value: string; label: string }[] {
  const all = new Set(current === null ? names : [...names, current]);
  return [...all].map((value) => ({ value, label: nameOf(value) }));
}
