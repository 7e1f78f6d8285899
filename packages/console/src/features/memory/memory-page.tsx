import { clearMemory, importMemory, type MemoryDocument } from '@switchyard/contract/conversation/memory';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { PageButton } from '../../kit/forms/page-button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Menu } from '../../kit/menu.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { Select } from '../../kit/select.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { useQueryState } from '../../lib/address.ts';
import { agentsQuery } from '../../lib/data/models.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { saveFile } from '../../lib/save-file.ts';
import { FactForm } from './fact-form.tsx';
import { Facts } from './facts.tsx';
import { agentOf, memoryKey, memoryQuery } from './memory-query.ts';
import { isBlank, writtenNotes } from './notes.ts';

/** The value of the choice that stands for the lead agent. */
const lead = '';

/** What agents remember about the user. */
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

/** What concerns the memory as a whole. */
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

/** What conversations have been summed up to. */
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
