import { useState } from 'react';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';

const shownLength = 4_000;

/** A text that may be a megabyte long: its beginning, and the rest one click away. Never read as markup. */
export function LongText({ text: whole, mono = false }: { text: string; mono?: boolean }) {
  const text = useText('long-text');
  const format = useFormat();
  const [isWhole, setIsWhole] = useState(false);
  const isLong = whole.length > shownLength;
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <div className={`max-w-full break-words whitespace-pre-wrap ${mono ? 'font-mono text-meta' : ''}`}>
        {isLong && !isWhole ? `${whole.slice(0, shownLength)}…` : whole}
      </div>
      {isLong ? (
        <Button size="s" variant="plain" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? text('showLess') : text('showAll', { size: format.bytes(new Blob([whole]).size) })}
        </Button>
      ) : null}
    </div>
  );
}
