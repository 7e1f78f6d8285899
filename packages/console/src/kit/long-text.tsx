import { useState } from 'react';
import { useFormat } from '../lib/format/use-format.ts';
import { useText } from '../lib/i18n.ts';
import { Button } from './button.tsx';

const shownLength = 4_000;

/** Text of any length: what is very long is cut, with the rest one click away. */
export function LongText({ text: content, label }: { text: string; label: string }) {
  const text = useText('kit');
  const format = useFormat();
  const [whole, setWhole] = useState(false);
  const isLong = content.length > shownLength;
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <section
        aria-label={label}
        className="max-h-[32rem] w-full overflow-auto rounded-control bg-sunken p-3"
      >
        <pre className="font-mono text-table break-words whitespace-pre-wrap">
          {isLong && !whole ? `${content.slice(0, shownLength)}…` : content}
        </pre>
      </section>
      {isLong ? (
        <Button size="s" variant="plain" onClick={() => setWhole(!whole)}>
          {whole ? text('text.showLess') : text('text.showAll', { size: format.bytes(content.length) })}
        </Button>
      ) : null}
    </div>
  );
}
