import {
  copyWorkflow,
  type SavedWorkflowDetail,
  switchSharedTool,
} from '@switchyard/contract/dispatch/workflow';
import { shellWord } from '@switchyard/contract/shell-word';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Switch } from '../../kit/switch.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';

/** What a user may do with a workflow of somebody else, besides running it. */
export function SharedActions({ workflow }: { workflow: SavedWorkflowDetail }) {
  const text = useText('workflows');
  const { act, isBusy } = useAct();
  const [isCopying, setCopying] = useState(false);
  const [name, setName] = useState(workflow.name);
  const { id: workflowId, share } = workflow;
  const copyHint = useCommandHint(`switchyard share copy workflow ${workflowId} --name ${shellWord(name)}`);
  if (share === null) return null;
  const switchTool = (on: boolean) =>
    act(() => gateway.call(switchSharedTool, { params: { workflowId }, body: { on } }), {
      done: text(on ? 'shared.on' : 'shared.off', { name: workflow.name }),
      refresh: [keys.workflows, keys.shares],
    });
  const copy = async () => {
    const { id } = await gateway.call(copyWorkflow, { params: { workflowId }, body: { name } });
    navigate(`/workflows/${id}`);
  };
  return (
    <>
      {share.may === 'run' ? (
        <Switch
          label={text('shared.switch')}
          checked={share.tool === 'on'}
          disabled={isBusy}
          onChange={(on) => void switchTool(on)}
        />
      ) : null}
      <Button
        icon={<Copy size={16} strokeWidth={1.75} aria-hidden />}
        onClick={() => setCopying(true)}
        {...copyHint}
      >
        {text('shared.copy')}
      </Button>
      <FormDialog
        open={isCopying}
        onClose={() => setCopying(false)}
        title={text('shared.copyTitle', { name: workflow.name })}
        submit={text('shared.copy')}
        onSubmit={copy}
      >
        <p className="text-body text-text-2">{text('shared.copyEffect')}</p>
        <Field label={text('shared.copyName')}>
          <TextInput
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      </FormDialog>
    </>
  );
}

/** Says whose workflow it is, and what its owner has changed since the receiver gave it to their agents. */
export function SharedLead({ workflow: { description, share } }: { workflow: SavedWorkflowDetail }) {
  const text = useText('workflows');
  if (share === null) return description;
  return (
    <>
      {description ? <p>{description}</p> : null}
      <p>{text(`shared.from.${share.may}`, { from: share.from })}</p>
      {share.tool === 'changed' ? <p className="text-waiting">{text('shared.changed')}</p> : null}
    </>
  );
}
