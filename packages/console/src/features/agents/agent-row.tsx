import type { Agent } from '@switchyard/contract/conversation/agent';
import { deleteAgent } from '@switchyard/contract/conversation/agents';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { ConfirmedButton } from '../../kit/forms/confirmed-button.tsx';
import { opensRow, rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { agentsKey } from './agents-key.ts';
import { TalkLink } from './graph-row.tsx';

/** An agent: what it is for, and what it has. */
export function AgentRow({ agent, onEdit }: { agent: Agent; onEdit: () => void }) {
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
