import { clearMemory, importMemory, type MemoryDocument } from '@switchyard/contract/conversation/memory';
import { useRef } from 'react';
import { useAct } from '../../kit/forms/use-act.ts';
import { Menu } from '../../kit/menu.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { saveFile } from '../../lib/save-file.ts';
import { agentOf, memoryKey } from './memory-query.ts';

/** What concerns the memory as a whole. */
export function MemoryActions({ agent, memory }: { agent: string | null; memory: MemoryDocument }) {
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
