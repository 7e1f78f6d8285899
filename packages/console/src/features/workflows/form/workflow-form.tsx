import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { fieldId } from '../../../kit/fields/field-id.ts';
import { Fields } from '../../../kit/fields/fields.tsx';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { useText } from '../../../lib/i18n.ts';
import { groupsOf, type NodeFields } from './form-groups.ts';
import { labelOf } from './form-label.ts';

/** Nodes beyond these are one click away. */
const maxNodesShown = 100;

/** The generated form: five fields, five more, and everything by node. */
export function WorkflowForm({
  parameters,
  form,
}: {
  parameters: readonly WorkflowParameter[];
  form: FormState;
}) {
  const text = useText('workflows');
  const { basic, more, all } = groupsOf(parameters);
  const shown = [...basic, ...more];
  const rest = all.reduce((sum, node) => sum + node.parameters.length, 0) - shown.length;
  return (
    <div className="flex flex-col gap-4">
      {basic.length === 0 ? <p className="text-body text-text-2">{text('form.none')}</p> : null}
      <Fields parameters={basic} labelOf={(each) => labelOf(each, shown)} idOf={fieldId} form={form} />
      {more.length > 0 ? (
        <Section
          title={text('form.more', { count: more.length })}
          isOpen={more.some(({ name }) => form.hasProblem(name))}
        >
          <Fields parameters={more} labelOf={(each) => labelOf(each, shown)} idOf={fieldId} form={form} />
        </Section>
      ) : null}
      {rest > 0 ? (
        <Section
          title={text('form.all', { count: rest + shown.length })}
          isOpen={all.some(({ parameters: fields }) =>
            fields.some(({ name }) => !shown.some((each) => each.name === name) && form.hasProblem(name)),
          )}
        >
          <Nodes nodes={all} among={new Set(shown.map(({ name }) => name))} form={form} />
        </Section>
      ) : null}
    </div>
  );
}

function Section({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  const [isChosen, setChosen] = useState(false);
  const open = isOpen || isChosen;
  return (
    <details
      open={open}
      onToggle={(event) => setChosen(event.currentTarget.open)}
      className="border-t border-border pt-3"
    >
      <summary className="cursor-pointer py-1 text-body font-medium outline-accent focus-visible:outline-2">
        {title}
      </summary>
      {open ? <div className="pt-3">{children}</div> : null}
    </details>
  );
}

/** The fields that stand above are not repeated, so that each value is in one place. */
function Nodes({
  nodes,
  among,
  form,
}: {
  nodes: readonly NodeFields[];
  among: ReadonlySet<string>;
  form: FormState;
}) {
  const text = useText('workflows');
  const [shown, setShown] = useState(maxNodesShown);
  const open = nodes
    .map((node) => ({ ...node, parameters: node.parameters.filter(({ name }) => !among.has(name)) }))
    .filter(({ parameters }) => parameters.length > 0);
  return (
    <div className="flex flex-col gap-6">
      {open.slice(0, shown).map(({ node, title, parameters }) => (
        <fieldset key={node} className="flex flex-col gap-3">
          <legend className="mb-2 text-table font-semibold text-text-2">
            {text('form.node', { title, node })}
          </legend>
          <Fields
            parameters={parameters}
            labelOf={(each) => labelOf(each, parameters, { belowTitle: true })}
            idOf={fieldId}
            form={form}
          />
        </fieldset>
      ))}
      {open.length > shown ? (
        <Button onClick={() => setShown(shown + maxNodesShown)}>
          {text('form.moreNodes', { count: Math.min(maxNodesShown, open.length - shown) })}
        </Button>
      ) : null}
    </div>
  );
}
