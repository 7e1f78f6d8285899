import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../../kit/button.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { AnswerPlace, VersionAddress } from '../model/versions.ts';

interface AnswerSwitchProps {
  place: AnswerPlace;
  /** Null shows the newest conversation. */
  onShow: (runId: string | null) => void;
}

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** Goes through the versions of an answer: `‹ 2 / 3 ›`. */
export function AnswerSwitch({ place: { number, count, before, after }, onShow }: AnswerSwitchProps) {
  const text = useText('chat');
  const step = (label: string, to: VersionAddress | null, mark: ReactNode) => (
    // It stays in the order of focus at the end of the row, so that a reader with a keyboard does not lose the place.
    <IconButton
      label={label}
      icon={mark}
      aria-disabled={to === null}
      className={to === null ? 'cursor-default opacity-50' : ''}
      onClick={() => to && onShow(to.runId)}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are two buttons, and no fields of a form
    <div role="group" aria-label={text('versions.label')} className="flex items-center text-meta text-text-2">
      {step(text('versions.before'), before, <ChevronLeft {...icon} />)}
      <span aria-live="polite" className="tabular-nums">
        <span aria-hidden>{text('versions.short', { number, count })}</span>
        <span className="sr-only">{text('versions.position', { number, count })}</span>
      </span>
      {step(text('versions.after'), after, <ChevronRight {...icon} />)}
    </div>
  );
}
