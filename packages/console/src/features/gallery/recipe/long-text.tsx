import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { useText } from '../../../lib/i18n.ts';

const firstLength = 600;

/** A text as it stands; a long one is cut, and the rest is one click away. */
export function LongText({ value }: { value: string }) {
  const text = useText('gallery');
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && value.length > firstLength;
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="max-w-full text-body break-words whitespace-pre-wrap">
        {isCut ? `${value.slice(0, firstLength)}…` : value}
      </p>
      {isCut ? (
        <Button size="s" variant="plain" onClick={() => setWhole(true)}>
          {text('recipe.showAll', { count: value.length })}
        </Button>
      ) : null}
    </div>
  );
}
