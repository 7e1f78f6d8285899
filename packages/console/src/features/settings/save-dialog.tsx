import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { useText } from '../../lib/i18n.ts';
import { pathText, valueText } from './changes/change-text.ts';
import type { Change } from './changes/settings-changes.ts';

/** What will change, before it is saved. */
export function SaveDialog({
  open,
  changes,
  isBusy,
  onClose,
  onSave,
}: {
  open: boolean;
  changes: readonly Change[];
  isBusy: boolean;
  onClose: () => void;
  onSave: () => void;
}) {
  const text = useText('settings');
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={text('save.title', { count: changes.length })}
      wide
      actions={
        <>
          <Button onClick={onClose}>{text('save.back')}</Button>
          <Button variant="solid" disabled={isBusy} onClick={onSave}>
            {text('save.submit', { count: changes.length })}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-body text-text-2">{text('save.effect')}</p>
      <ul className="flex flex-col gap-3">
        {changes.map(({ path, before, after }) => (
          <li key={path.join('\n')} className="text-table">
            <p className="font-medium break-words">{pathText(path)}</p>
            {before === undefined ? null : (
              <p className="rounded-control bg-failed-tint px-2 py-0.5 font-mono break-all text-failed">
                <span aria-hidden>− </span>
                <span className="sr-only">{text('save.before')} </span>
                {valueText(before)}
              </p>
            )}
            {after === undefined ? null : (
              <p className="rounded-control bg-done-tint px-2 py-0.5 font-mono break-all text-done">
                <span aria-hidden>+ </span>
                <span className="sr-only">{text('save.after')} </span>
                {valueText(after)}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
