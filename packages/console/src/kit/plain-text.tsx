import { useState } from 'react';
import { useText } from '../lib/i18n.ts';
import { Button } from './button.tsx';
import { cutText } from './markdown-blocks.ts';

/** Text as a person wrote it, line by line. A very long one is cut until the reader asks for the rest. */
export function PlainText({ text, className = '' }: { text: string; className?: string }) {
  const words = useText('kit');
  const [isWhole, setWhole] = useState(false);
  const { shown, isCut } = isWhole ? { shown: text, isCut: false } : cutText(text);
  return (
    <>
      <p className={`break-words whitespace-pre-wrap ${className}`}>{shown}</p>
      {isCut ? (
        <Button className="self-start" onClick={() => setWhole(true)}>
          {words('markdown.showAll')}
        </Button>
      ) : null}
    </>
  );
}
