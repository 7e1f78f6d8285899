import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { fieldId } from '../../../kit/fields/field-id.ts';
import { Fields } from '../../../kit/fields/fields.tsx';
import { SizeField } from '../../../kit/fields/size-field.tsx';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { SearchInput } from '../../../kit/forms/search-input.tsx';
import { useText } from '../../../lib/i18n.ts';
import { type FormItem, groupsOf, matching, type NodeItems, parametersOf } from './form-groups.ts';
import { useLabelOf } from './form-label.ts';

/** Nodes beyond these are one click away. */
const maxNodesShown = 100;
/** Fewer fields are found by eye. */
const minSearched = 6;

/** The generated form: what people change, and everything else by node below *More*. */
export function WorkflowForm({
  parameters,
  form,
  onVary,
}: {
  parameters: readonly WorkflowParameter[];
  form: FormState;
  /** Runs the workflow with several values of a field; a form that runs nothing has it not. */
  onVary?: ((name: string) => void) | undefined;
}) {
  const text = useText('workflows');
  const { basic, more } = groupsOf(parameters);
  const rest = more.flatMap(({ items }) => items.flatMap(parametersOf));
  return (
    <>
      {basic.length === 0 ? <p className="text-body text-text-2">{text('form.none')}</p> : null}
      <Items items={basic} form={form} onVary={onVary} />
      {rest.length > 0 ? (
        <Section
          title={text('form.more', { count: rest.length })}
          isOpen={rest.some(({ name }) => form.hasProblem(name))}
        >
          <More nodes={more} count={rest.length} form={form} onVary={onVary} />
        </Section>
      ) : null}
    </>
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
function More({
  nodes,
  count,
  form,
  onVary,
}: Pick<ItemsProps, 'form' | 'onVary'> & { nodes: readonly NodeItems[]; count: number }) {
  const text = useText('workflows');
  const [words, setWords] = useState('');
  const [limit, setLimit] = useState(maxNodesShown);
  const labelOf = useLabelOf();
  const found = matching(nodes, words, labelOf);
  return (
    <div className="flex flex-col gap-5">
      {count >= minSearched ? (
        <SearchInput label={text('form.search')} value={words} onChange={setWords} className="w-full" />
      ) : null}
      <p role="status" className="text-body text-text-2 empty:hidden">
        {found.length === 0 ? text('form.notFound', { words }) : null}
      </p>
      {found.slice(0, limit).map(({ node, title, items }) => (
        <fieldset key={node} className="flex min-w-0 flex-col gap-3">
          <legend className="mb-2 max-w-full text-table font-semibold break-words text-text-2">
            {text('form.node', { title, node })}
          </legend>
          <Items items={items} form={form} onVary={onVary} belowTitle />
        </fieldset>
      ))}
      {found.length > limit ? (
        <Button onClick={() => setLimit(limit + maxNodesShown)}>
          {text('form.moreNodes', { count: Math.min(maxNodesShown, found.length - limit) })}
        </Button>
      ) : null}
    </div>
  );
}

interface ItemsProps {
  items: readonly FormItem[];
  form: FormState;
  onVary: ((name: string) => void) | undefined;
  /** A heading names the node already. */
  belowTitle?: boolean;
}

function Items({ items, form, onVary, belowTitle = false }: ItemsProps) {
  const sizeLabel = useSizeLabel(items, belowTitle);
  const labelOf = useLabelOf();
  const shown = items.flatMap(parametersOf);
  return (
    <div className="flex flex-col gap-4">
      {items.map((item) =>
        item.kind === 'size' ? (
          <SizeField
            key={item.width.name}
            label={sizeLabel(item)}
            width={item.width}
            height={item.height}
            idOf={fieldId}
            form={form}
            onVary={onVary}
          />
        ) : (
          <Fields
            key={item.parameter.name}
            parameters={[item.parameter]}
            labelOf={(each) => labelOf(each, shown, { belowTitle })}
            idOf={fieldId}
            form={form}
            onVary={onVary}
          />
        ),
      )}
    </div>
  );
}

/** A size is named by the title of its node, and by its id as well when another size has this title. */
function useSizeLabel(items: readonly FormItem[], belowTitle: boolean) {
  const text = useText('workflows');
  const titles = items.flatMap((item) => (item.kind === 'size' ? (item.width.sets[0]?.title ?? '') : []));
  return ({ width }: Extract<FormItem, { kind: 'size' }>): string => {
    const { node = '', title = '', input = '' } = width.sets[0] ?? {};
    if (belowTitle) return text('form.size', { of: input.replace(/_?width$/i, '') });
    const isShared = titles.filter((each) => each === title).length > 1;
    return text('form.sizeOf', { title: isShared ? text('form.node', { title, node }) : title });
  };
}
