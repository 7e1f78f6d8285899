import { type Agent, toolGroups } from '@switchyard/contract/conversation/agent';
import { changeAgent, createAgent } from '@switchyard/contract/conversation/agents';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from '../../kit/checkbox.tsx';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { Select } from '../../kit/select.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { modelsQuery } from '../../lib/data/models.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { agentsKey } from './agents-key.ts';

/** The value of the choice that leaves the model to the gateway. */
const usual = '';

export function AgentFields({
  agent,
  isNew,
  onClose,
}: {
  agent: Agent;
  isNew: boolean;
  onClose: () => void;
}) {
  const text = useText('agents');
  const queries = useQueryClient();
  const models = useQuery(modelsQuery());
  const [draft, setDraft] = useState(agent);
  const set = (change: Partial<Agent>) => setDraft({ ...draft, ...change });
  const known = new Set([draft.model, ...(models.data?.models.map(({ name }) => name) ?? [])]);
  const names = [...known].filter((name) => name !== null);
  const save = async () => {
    const { name, soul, ...rest } = draft;
    const body = { ...rest, soul: soul ?? '' };
    if (isNew) await gateway.call(createAgent, { body: { name, ...body } });
    else await gateway.call(changeAgent, { params: { name }, body });
    await queries.invalidateQueries({ queryKey: agentsKey });
  };
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={isNew ? text('create') : text('editOf', { name: agent.name })}
      submit={text(isNew ? 'form.create' : 'form.save')}
      onSubmit={save}
      disabled={draft.name === ''}
    >
      <Field label={text('form.name')} hint={text('form.nameHint')}>
        <TextInput
          required
          disabled={!isNew}
          pattern="[A-Za-z0-9\-]{1,64}"
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      <Field label={text('form.description')} hint={text('form.descriptionHint')}>
        <TextArea
          rows={2}
          maxLength={2_000}
          value={draft.description}
          onChange={(event) => set({ description: event.target.value })}
        />
      </Field>
      <Field label={text('form.soul')} hint={text('form.soulHint')}>
        <TextArea
          rows={8}
          maxLength={32_768}
          value={draft.soul ?? ''}
          onChange={(event) => set({ soul: event.target.value })}
        />
      </Field>
      <Field label={text('form.model')}>
        <Select
          label={text('form.model')}
          value={draft.model ?? usual}
          options={[usual, ...names].map((value) => ({
            value,
            label: value === usual ? text('defaultModel') : value,
          }))}
          onChange={(model) => set({ model: model === usual ? null : model })}
        />
      </Field>
      <ToolChoice chosen={draft.tool_groups} onChange={(tool_groups) => set({ tool_groups })} />
    </FormDialog>
  );
}

/** Which tools the agent has; groups of single MCP servers that were chosen elsewhere stay. */
function ToolChoice({
  chosen,
  onChange,
}: {
  /** Null for all. */
  chosen: readonly string[] | null;
  onChange: (chosen: string[] | null) => void;
}) {
  const text = useText('agents');
  const groups = [...new Set([...toolGroups, ...(chosen ?? [])])];
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="pb-1 text-table font-medium">{text('form.tools')}</legend>
      <Checkbox
        label={text('allTools')}
        checked={chosen === null}
        onChange={(all) => onChange(all ? null : [...toolGroups])}
      />
      {chosen !== null && (
        <div className="flex flex-wrap gap-x-4 pl-6">
          {groups.map((group) => (
            <Checkbox
              key={group}
              label={group}
              checked={chosen.includes(group)}
              onChange={(on) =>
                onChange(groups.filter((other) => (other === group ? on : chosen.includes(other))))
              }
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
