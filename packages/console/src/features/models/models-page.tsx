import type { Model } from '@switchyard/contract/conversation/model';
import { useQuery } from '@tanstack/react-query';
import { CommandLine } from '../../kit/command-line.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import type { Column } from '../../kit/table/column.ts';
import { modelsQuery } from '../../lib/data/models.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';

const example = `models:
  fast:
    provider: openai
    model: gpt-4o-mini
    api_key: \${OPENAI_API_KEY}
    pricing: { input_per_million: 0.15, output_per_million: 0.6, currency: USD }`;

export function ModelsPage() {
  const text = useText('models');
  const models = useQuery(modelsQuery());
  return (
    <Page title={text('title')} lead={text('lead')}>
      <QueryView
        query={models}
        isEmpty={(list) => list.models.length === 0}
        first={<EmptyState title={text('first')}>{text('how')}</EmptyState>}
      >
        {(list) => <ModelTable models={list.models} />}
      </QueryView>
      <AddModel />
    </Page>
  );
}

function ModelTable({ models }: { models: readonly Model[] }) {
  const text = useText('models');
  const columns: Column<Model>[] = [
    {
      id: 'name',
      header: text('column.name'),
      cell: (model) => <Name model={model} isDefault={model === models[0]} />,
    },
    {
      id: 'model',
      header: text('column.model'),
      cell: ({ model }) => <span className="font-mono">{model}</span>,
      wideOnly: true,
    },
    { id: 'can', header: text('column.can'), cell: (model) => <Abilities model={model} /> },
    {
      id: 'input',
      header: text('column.input'),
      align: 'end',
      width: '9rem',
      cell: (model) => <Price model={model} price={model.input_price_per_million} />,
    },
    {
      id: 'output',
      header: text('column.output'),
      align: 'end',
      width: '9rem',
      cell: (model) => <Price model={model} price={model.output_price_per_million} />,
    },
  ];
  return (
    <DataTable
      label={text('title')}
      columns={columns}
      rows={models}
      rowKey={({ name }) => name}
      rowHeight={56}
    />
  );
}

function Name({ model, isDefault }: { model: Model; isDefault: boolean }) {
  const text = useText('models');
  const { name, display_name, description, simulated } = model;
  return (
    <div className="min-w-0" title={description ?? undefined}>
      <p className="truncate font-medium">
        {display_name ?? name}{' '}
        {isDefault && <span className="font-normal text-text-2">{text('default')}</span>}
      </p>
      <p className="truncate text-meta text-text-2">{simulated ? text('simulated') : description}</p>
    </div>
  );
}

function Abilities({ model }: { model: Model }) {
  const text = useText('models');
  const format = useFormat();
  const abilities = [
    model.supports_vision && text('ability.vision'),
    model.supports_thinking && text('ability.thinking'),
    model.supports_reasoning_effort && text('ability.effort'),
  ].filter((ability) => ability !== false);
  return <span>{abilities.length === 0 ? text('ability.text') : format.list(abilities)}</span>;
}

/** A price that is not known stays blank: it is not zero. */
function Price({ model, price }: { model: Model; price: number | null }) {
  const format = useFormat();
  return <span className="tabular-nums">{format.money(price, model.price_currency)}</span>;
}

function AddModel() {
  const text = useText('models');
  const { isAdmin } = useSession();
  if (!isAdmin) return <p className="text-table text-text-2">{text('ask')}</p>;
  return (
    <section className="flex max-w-[44rem] flex-col gap-2 pt-2">
      <h2 className="text-lead font-semibold">{text('add')}</h2>
      <p className="text-body text-text-2">{text('how')}</p>
      <CommandLine command={example} />
    </section>
  );
}
