import {
  addFact,
  changeFact,
  clearMemory,
  deleteFact,
  getMemory,
  importMemory,
  type MemoryDocument,
  type MemoryFact,
} from '@switchyard/contract/conversation/memory';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { PageButton } from '../../kit/forms/page-button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Menu } from '../../kit/menu.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { opensRow, rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { Select } from '../../kit/select.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { useQueryState } from '../../lib/address.ts';
import { agentsQuery } from '../../lib/data/models.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { saveFile } from '../../lib/save-file.ts';
import { isBlank, writtenNotes } from './notes.ts';

const memoryKey = ['memory'];

const maxLength = 2_000;
const usualConfidence = 0.9;

/** The value of the choice that stands for the lead agent. */
const lead = '';

/** The memory of agents about the user. */
export function MemoryPage() {
  const text = useText('memory');
  const [agent, setAgent] = useQueryState('agent');
  const [isAdding, setAdding] = useState(false);
  const memory = useQuery(memoryQuery(agent));
  const agents = useQuery(agentsQuery());
  const options = [lead, ...(agents.data?.agents.map(({ name }) => name) ?? [])];
  return (
    <Page
      title={text('title')}
      lead={text('lead')}
      actions={
        <>
          {memory.data && <MemoryActions agent={agent} memory={memory.data} />}
          <PageButton id="add-fact" label={text('fact.add')} icon={Plus} onClick={() => setAdding(true)} />
        </>
      }
    >
      {options.length > 1 && (
        <Select
          label={text('agent')}
          className="w-64 self-start"
          value={agent ?? lead}
          options={options.map((value) => ({ value, label: value === lead ? text('leadAgent') : value }))}
          onChange={(value) => setAgent(value === lead ? null : value)}
        />
      )}
      <QueryView
        query={memory}
        isEmpty={isBlank}
        first={<EmptyState title={text('first.title')}>{text('first.cause')}</EmptyState>}
      >
        {(document) => (
          <div className="flex flex-col gap-6">
            <NoteList memory={document} />
            <Facts agent={agent} facts={document.facts} />
          </div>
        )}
      </QueryView>
      {isAdding && <FactForm agent={agent} onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** The actions on the memory as a whole. */
function MemoryActions({ agent, memory }: { agent: string | null; memory: MemoryDocument }) {
  const text = useText('memory');
  const { act } = useAct();
  const input = useRef<HTMLInputElement>(null);
  const query = agentOf(agent);
  const replace = (body: MemoryDocument) => gateway.call(importMemory, { query, body });
  const importFile = async (file: File) => {
    await act(async () => replace(JSON.parse(await file.text()) as MemoryDocument), {
      done: text('import.done', { name: file.name }),
      undo: () => replace(memory),
      refresh: [memoryKey],
    });
  };
  const clear = () =>
    act(() => gateway.call(clearMemory, { query }), {
      done: text('clear.done'),
      undo: () => replace(memory),
      refresh: [memoryKey],
    });
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="application/json"
        hidden
        aria-label={text('import.open')}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void importFile(file);
          target.value = '';
        }}
      />
      <Menu
        label={text('actions')}
        items={[
          {
            label: text('export'),
            onSelect: () =>
              saveFile(`memory-${agent ?? 'lead'}.json`, JSON.stringify(memory, null, 2), 'application/json'),
          },
          { label: text('import.open'), onSelect: () => input.current?.click() },
          { label: text('clear.open'), danger: true, separated: true, onSelect: () => void clear() },
        ]}
      />
    </>
  );
}

/** The summaries of conversations. */
function NoteList({ memory }: { memory: MemoryDocument }) {
  const text = useText('memory');
  const notes = writtenNotes(memory);
  if (notes.length === 0) return null;
  return (
    <section className="flex flex-col gap-3">
      <h2 className="border-b border-border pb-1 text-lead font-semibold">{text('notes')}</h2>
      {notes.map(({ key, summary, updatedAt }) => (
        <div key={key} className="max-w-[48rem]">
          <h3 className="text-body font-medium">
            {text(`note.${key}`)}{' '}
            {updatedAt && (
              <span className="text-table font-normal text-text-2">
                <TimeAgo at={updatedAt} />
              </span>
            )}
          </h3>
          <p className="text-body break-words whitespace-pre-wrap">{summary}</p>
        </div>
      ))}
    </section>
  );
}

/** Single facts, each of which can be changed or forgotten. */
function Facts({ agent, facts }: { agent: string | null; facts: readonly MemoryFact[] }) {
  const text = useText('memory');
  return (
    <section>
      <h2 className="border-b border-border pb-1 text-lead font-semibold">
        {text('facts', { count: facts.length })}
      </h2>
      <ul>
        {facts.map((fact) => (
          <Fact key={fact.id} agent={agent} fact={fact} />
        ))}
      </ul>
    </section>
  );
}

function Fact({ agent, fact }: { agent: string | null; fact: MemoryFact }) {
  const text = useText('memory');
  const { act } = useAct();
  const [isEditing, setEditing] = useState(false);
  const { id, content, category, confidence } = fact;
  const query = agentOf(agent);
  const forget = () =>
    act(() => gateway.call(deleteFact, { params: { fact_id: id }, query }), {
      done: text('fact.forgotten'),
      undo: () => gateway.call(addFact, { query, body: { content, category, confidence } }),
      refresh: [memoryKey],
    });
  return (
    <li
      {...rowMarks(id)}
      className={`flex items-start justify-between gap-4 border-b border-border py-2 ${rowRing}`}
    >
      <div className="min-w-0">
        <p className="text-body break-words">{content}</p>
        <p className="text-table text-text-2">
          {category} · <Confidence value={confidence} /> · <Source source={fact.source} />
        </p>
      </div>
      <div className="flex shrink-0 gap-1">
        <Button {...opensRow} size="s" variant="plain" onClick={() => setEditing(true)}>
          {text('fact.edit')}
        </Button>
        <Button size="s" variant="plain" onClick={() => void forget()}>
          {text('fact.forget')}
        </Button>
      </div>
      {isEditing && <FactForm agent={agent} fact={fact} onClose={() => setEditing(false)} />}
    </li>
  );
}

function Confidence({ value }: { value: number }) {
  const text = useText('memory');
  const format = useFormat();
  return text('fact.sure', { percent: format.percent(value * 100) });
}

/** The thread in which the fact was learned, if it was not written by hand. */
function Source({ source }: { source: string }) {
  const text = useText('memory');
  if (source === 'manual' || source === '') return text('fact.manual');
  return (
    <Link href={`/chat/${encodeURIComponent(source)}`} className="text-accent underline">
      {text('fact.learned')}
    </Link>
  );
}

function FactForm({
  agent,
  fact,
  onClose,
}: {
  agent: string | null;
  /** The fact to change; without it a new one is remembered. */
  fact?: MemoryFact;
  onClose: () => void;
}) {
  const text = useText('memory');
  const queries = useQueryClient();
  const [content, setContent] = useState(fact?.content ?? '');
  const [category, setCategory] = useState(fact?.category ?? 'context');
  const save = async () => {
    const query = agentOf(agent);
    const body = { content: content.trim(), category: category.trim() };
    if (fact) await gateway.call(changeFact, { params: { fact_id: fact.id }, query, body });
    else await gateway.call(addFact, { query, body: { ...body, confidence: usualConfidence } });
    await queries.invalidateQueries({ queryKey: memoryKey });
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={text(fact ? 'fact.change' : 'fact.add')}
      submit={text(fact ? 'fact.save' : 'fact.remember')}
      onSubmit={save}
      disabled={content.trim() === '' || category.trim() === ''}
    >
      <Field label={text('fact.content')} hint={text('fact.contentHint')}>
        <TextArea
          required
          maxLength={maxLength}
          value={content}
          onChange={(event) => setContent(event.target.value)}
        />
      </Field>
      <Field label={text('fact.category')}>
        <TextInput
          required
          maxLength={64}
          value={category}
          onChange={(event) => setCategory(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

/** Asks for the memory of an agent; null is the lead agent. */
function memoryQuery(agent: string | null) {
  return queryOptions({
    queryKey: [...memoryKey, { agent }],
    queryFn: ({ signal }): Promise<MemoryDocument> =>
      gateway.call(getMemory, { query: agentOf(agent), signal }),
  });
}

function agentOf(agent: string | null): { agent?: string } {
  return agent === null ? {} : { agent };
}
