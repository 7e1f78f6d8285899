import { createWorkflow } from '@switchyard/contract/dispatch/workflow';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { Field } from '../../../kit/field.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';
import { faultsOf } from '../../../lib/gateway-words/faults.ts';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import type { ApiGraph } from '../../../lib/workflow-file/graph-json.ts';
import type { ReadFile } from '../../../lib/workflow-file/read-workflow-file.ts';

type FoundGraph = Extract<ReadFile, { kind: 'graph' }>;

/** A graph that was found: its name and its nodes, before it is saved. */
export function SaveWorkflow({ found, onClose }: { found: FoundGraph; onClose: () => void }) {
  const text = useText('workflows');
  const words = useGatewayWords();
  const queries = useQueryClient();
  const [name, setName] = useState(found.name);
  const hint = useCommandHint(`switchyard workflows import ${found.name}.json`);
  const save = useMutation({
    mutationFn: () =>
      gateway.call(createWorkflow, {
        body: { name: name.trim(), workflow: found.graph },
      }),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: keys.workflows });
      navigate(`/workflows/${id}`);
    },
  });
  const whyNot = (error: Error): string => {
    const [fault] = faultsOf(error);
    return fault ? words.said(fault) : words.error(error);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 rounded-card border border-border bg-surface p-4">
      <p className="text-body font-medium">
        {text('save.found', { count: found.nodes, from: found.from === 'text' ? 'json' : found.from })}
      </p>
      <NodeList graph={found.graph} />
      <div className="max-w-[24rem]">
        <Field label={text('save.name')} error={save.error ? whyNot(save.error) : undefined}>
          <TextInput
            value={name}
            maxLength={100}
            required
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="solid" disabled={save.isPending || name.trim() === ''} {...hint}>
          {text('save.submit')}
        </Button>
        <Button onClick={onClose}>{text('save.cancel')}</Button>
      </div>
    </form>
  );
}

const firstShown = 12;
/** A graph of thousands of nodes is shown in steps of this size. */
const step = 500;

/** The nodes of a graph by title and class; a long list is cut, and the rest is one click away. */
function NodeList({ graph }: { graph: ApiGraph }) {
  const text = useText('workflows');
  const [shown, setShown] = useState(firstShown);
  const nodes = Object.entries(graph);
  const more = Math.min(step, nodes.length - shown);
  return (
    <div className="flex flex-col items-start gap-2">
      <ul
        className="flex max-h-64 max-w-full flex-wrap gap-1 overflow-y-auto"
        aria-label={text('save.nodes')}
      >
        {nodes.slice(0, shown).map(([id, { class_type, _meta }]) => (
          <li key={id} className="max-w-full truncate rounded-control bg-sunken px-2 py-0.5 text-table">
            {_meta?.title ?? class_type}
            {_meta?.title && _meta.title !== class_type ? (
              <span className="text-text-2"> {class_type}</span>
            ) : null}
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <Button size="s" variant="plain" onClick={() => setShown(shown + more)}>
          {text('save.more', { count: more })}
        </Button>
      ) : null}
    </div>
  );
}
