import type { MemoryDocument } from '@switchyard/contract/conversation/memory';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { useText } from '../../lib/i18n.ts';
import { writtenNotes } from './notes.ts';

/** What conversations have been summed up to. */
export function NoteList({ memory }: { memory: MemoryDocument }) {
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
