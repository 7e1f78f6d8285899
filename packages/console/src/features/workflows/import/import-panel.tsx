import { ApiError } from '@switchyard/client/errors';
import {
  createWorkflow,
  importWorkflow,
  listWorkflows,
  type SavedWorkflowDetail,
  updateWorkflow,
} from '@switchyard/contract/dispatch/workflow';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, FileJson, X } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { Button, IconButton } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { Field } from '../../../kit/field.tsx';
import { classes } from '../../../kit/parts/classes.ts';
import { isTyping } from '../../../kit/parts/typing.ts';
import { TextInput } from '../../../kit/text-input.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { useDrop } from '../../../kit/use-drop.ts';
import { keys } from '../../../lib/data/keys.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { gateway } from '../../../lib/gateway.ts';
import { faultsOf } from '../../../lib/gateway-words/faults.ts';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import type { ApiGraph } from '../../../lib/workflow-file/graph-json.ts';
import {
  type ReadFile,
  readWorkflowFile,
  readWorkflowText,
} from '../../../lib/workflow-file/read-workflow-file.ts';

const firstShown = 12;
/** A graph of thousands of nodes is shown in steps of this size. */
const step = 500;

/** Takes a workflow by drop, by choice or by paste, and shows what it is. */
export function ImportPanel() {
  const text = useText('workflows');
  const chooser = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState<ReadFile | null>(null);
  const take = async (file: File | undefined) => {
    if (!file) return;
    setFound(await readWorkflowFile(file, file.name));
  };
  const { isOver, place } = useDrop(([file]) => void take(file));
  usePaste((pasted) => {
    if (typeof pasted === 'string') setFound(readWorkflowText(pasted, text('import.pasted')));
    else void take(pasted);
  });
  return (
    <section aria-label={text('import.label')} className="flex flex-col gap-2">
      <div
        {...place}
        className={classes(
          'flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-dashed px-4 py-4',
          isOver ? 'border-accent bg-running-tint' : 'border-control',
        )}
      >
        <FileJson size={24} strokeWidth={1.5} aria-hidden className="shrink-0 text-text-2" />
        <p className="min-w-[14rem] flex-1 text-body text-text-2">{text('import.hint')}</p>
        <Button onClick={() => chooser.current?.click()}>{text('import.choose')}</Button>
        <input
          ref={chooser}
          type="file"
          hidden
          accept=".json,application/json,image/png,image/webp"
          aria-label={text('import.choose')}
          onChange={(event) => {
            void take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
      </div>
      <div role="status" className="empty:hidden">
        {found && found.kind !== 'graph' ? <FoundFile found={found} onClose={() => setFound(null)} /> : null}
      </div>
      {found?.kind === 'graph' ? (
        <SaveWorkflow key={found.name} found={found} onClose={() => setFound(null)} />
      ) : null}
    </section>
  );
}

/** A paste into a field belongs to the field. */
function usePaste(onPaste: (pasted: string | File) => void): void {
  const current = useRef(onPaste);
  useEffect(() => {
    current.current = onPaste;
  });
  useEffect(() => {
    const listen = (event: ClipboardEvent) => {
      if (isTyping(event.target) || event.clipboardData === null) return;
      const [file] = event.clipboardData.files;
      const text = event.clipboardData.getData('text/plain');
      if (!file && text.trim() === '') return;
      event.preventDefault();
      current.current(file ?? text);
    };
    window.addEventListener('paste', listen);
    return () => window.removeEventListener('paste', listen);
  }, []);
}

/** Says what a file without a graph is, and what to do instead. */
function FoundFile({ found, onClose }: { found: Exclude<ReadFile, { kind: 'graph' }>; onClose: () => void }) {
  const text = useText('workflows');
  return (
    <div className="flex items-start gap-3 rounded-card border border-border bg-surface p-3">
      <CircleAlert size={20} strokeWidth={1.75} aria-hidden className="mt-0.5 shrink-0 text-waiting" />
      <div className="min-w-0 flex-1">
        <p className="text-body font-medium break-words">
          <Sentence found={found} />
        </p>
        <p className="text-body text-text-2">
          {text(found.kind === 'editor' ? 'found.exportApi' : 'found.tryOther')}
        </p>
      </div>
      <IconButton
        label={text('found.close')}
        icon={<X size={16} strokeWidth={1.75} aria-hidden />}
        onClick={onClose}
      />
    </div>
  );
}

function Sentence({ found }: { found: Exclude<ReadFile, { kind: 'graph' }> }) {
  const text = useText('workflows');
  const format = useFormat();
  const { name } = found;
  switch (found.kind) {
    case 'editor':
      return text('found.editor', { name, count: found.nodes });
    case 'too_large':
      return text('found.tooLarge', { name, size: format.bytes(found.sizeBytes) });
    case 'other_json':
      return text('found.otherJson', { name });
    case 'broken_json':
      return text('found.brokenJson', { name });
    default:
      return text(`found.${found.from}`, { name });
  }
}

type FoundGraph = Extract<ReadFile, { kind: 'graph' }>;

/** A graph that was found: its name and its nodes, before it is saved. */
function SaveWorkflow({ found, onClose }: { found: FoundGraph; onClose: () => void }) {
  const text = useText('workflows');
  const words = useGatewayWords();
  const format = useFormat();
  const queries = useQueryClient();
  const [name, setName] = useState(found.name);
  const saving = useRef<HTMLButtonElement>(null);
  // Enter saves what was chosen, dropped or pasted.
  useEffect(() => saving.current?.focus(), []);
  const hint = useCommandHint(`switchyard workflows import ${found.name}.json`);
  const toast = useToast();
  const opened = ({ id, lostFields = [] }: SavedWorkflowDetail) => {
    if (lostFields.length > 0) toast({ text: text('save.lost', { labels: format.list(lostFields) }) });
    void queries.invalidateQueries({ queryKey: keys.workflows });
    navigate(`/workflows/${id}`);
  };
  const save = useMutation({
    mutationFn: () => {
      const { exported, graph: workflow } = found;
      if (exported) return gateway.call(importWorkflow, { query: { name: name.trim() }, body: exported });
      return gateway.call(createWorkflow, { body: { name: name.trim(), workflow } });
    },
    onSuccess: opened,
  });
  const replace = useMutation({
    mutationFn: async () => {
      const { items } = await gateway.call(listWorkflows, { query: { name: name.trim() } });
      const params = { workflowId: items[0]?.id ?? '' };
      return gateway.call(updateWorkflow, { params, body: { workflow: found.graph } });
    },
    onSuccess: opened,
  });
  const error = replace.error ?? save.error;
  const isTaken = save.error instanceof ApiError && save.error.code === 'workflow_exists' && !found.exported;
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
        {found.exported
          ? text('save.exported', { count: found.nodes })
          : text('save.found', { count: found.nodes, from: found.from === 'text' ? 'json' : found.from })}
      </p>
      <NodeList graph={found.graph} />
      <div className="max-w-[24rem]">
        <Field label={text('save.name')} error={error ? whyNot(error) : undefined}>
          <TextInput
            value={name}
            maxLength={100}
            required
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          ref={saving}
          type="submit"
          variant="solid"
          isBusy={save.isPending}
          disabled={name.trim() === ''}
          {...hint}
        >
          {text('save.submit')}
        </Button>
        {isTaken ? (
          <Button isBusy={replace.isPending} onClick={() => replace.mutate()}>
            {text('save.asVersion', { name: name.trim() })}
          </Button>
        ) : null}
        <Button onClick={onClose}>{text('save.cancel')}</Button>
      </div>
    </form>
  );
}

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
