import { useState } from 'react';
import { useFormat } from '../lib/format/use-format.ts';
import { useText } from '../lib/i18n.ts';
import { Button } from './button.tsx';
import { classes } from './parts/classes.ts';

/** A text that may be a megabyte long: its beginning, and the rest one click away. Never read as markup. */
export function LongText({
  text: whole,
  label,
  mono = false,
  firstLength = 4_000,
}: {
  text: string;
  /** Gives the text a frame in which it scrolls, and names the frame. */
  label?: string;
  mono?: boolean;
  /** So many characters are shown at first. */
  firstLength?: number;
}) {
  const text = useText('kit');
  const format = useFormat();
  const [isWhole, setIsWhole] = useState(false);
  const isLong = whole.length > firstLength;
  const shown = isLong && !isWhole ? `${whole.slice(0, firstLength)}…` : whole;
  const body = (
    <div className={classes('max-w-full break-words whitespace-pre-wrap', mono && 'font-mono text-meta')}>
      {shown}
    </div>
  );
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      {label === undefined ? body : <Frame label={label} text={shown} />}
      {isLong ? (
        <Button size="s" variant="plain" onClick={() => setIsWhole(!isWhole)}>
          {isWhole
            ? text('text.showLess')
            : text('text.showAll', { size: format.bytes(new Blob([whole]).size) })}
        </Button>
      ) : null}
    </div>
  );
}

function Frame({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label} className="max-h-[32rem] w-full overflow-auto rounded-control bg-sunken p-3">
      <pre className="font-mono text-table break-words whitespace-pre-wrap">{text}</pre>
    </section>
  );
}
