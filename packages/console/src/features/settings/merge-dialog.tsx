import type { Settings, SettingsInput } from '@switchyard/contract/dispatch/settings';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { useText } from '../../lib/i18n.ts';
import { pathText, valueText } from './changes/change-text.ts';
import { mergeSettings, type Side } from './changes/merge-settings.ts';

interface MergeDialogProps {
  base: SettingsInput;
  mine: SettingsInput;
  theirs: Settings;
  isBusy: boolean;
  onClose: () => void;
  onSave: (merged: SettingsInput, version: number) => void;
}

/** Someone else has saved meanwhile: joins both, and asks where both have changed the same. */
export function MergeDialog({ base, mine, theirs, isBusy, onClose, onSave }: MergeDialogProps) {
  const text = useText('settings');
  const { conflicts, resolve } = mergeSettings({ base, mine, theirs });
  const [sides, setSides] = useState<readonly Side[]>(() => conflicts.map(() => 'mine'));
  const choose = (index: number, side: Side) =>
    setSides(sides.map((each, at) => (at === index ? side : each)));
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('merge.title')}
      wide
      actions={
        <>
          <Button onClick={onClose}>{text('merge.back')}</Button>
          <Button variant="solid" disabled={isBusy} onClick={() => onSave(resolve(sides), theirs.version)}>
            {text('merge.submit')}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-body">
        {text('merge.text', { version: theirs.version, count: conflicts.length })}
      </p>
      <div className="flex flex-col gap-4">
        {conflicts.map(({ path, mine: own, theirs: other }, index) => (
          <fieldset key={path.join('\n')} className="flex flex-col gap-1">
            <legend className="text-table font-medium break-words">{pathText(path)}</legend>
            {(['mine', 'theirs'] as const).map((side) => (
              <label
                key={side}
                className="flex min-h-8 items-center gap-2 text-table pointer-coarse:min-h-11"
              >
                <input
                  type="radio"
                  name={path.join('.')}
                  checked={sides[index] === side}
                  onChange={() => choose(index, side)}
                  className="size-4 accent-(--accent-solid)"
                />
                <span className="shrink-0 text-text-2">{text(`merge.${side}`)}</span>
                <span className="min-w-0 font-mono break-all">
                  {valueText(side === 'mine' ? own : other)}
                </span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </Dialog>
  );
}
