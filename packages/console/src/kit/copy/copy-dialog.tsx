import { useText } from '../../lib/i18n.ts';
import { Dialog } from '../dialog.tsx';
import { TextArea } from '../text-area.tsx';

const copyKey = /mac|iphone|ipad/i.test(window.navigator.userAgent) ? '⌘C' : 'Ctrl+C';

/** A text that the browser did not let the page copy, selected in a field. */
export function CopyDialog({ text: content, onClose }: { text: string; onClose: () => void }) {
  const text = useText('kit');
  return (
    <Dialog open onClose={onClose} title={text('copy.title')}>
      <div className="flex flex-col gap-3">
        <p>{text('copy.how', { key: copyKey })}</p>
        <TextArea
          readOnly
          ref={select}
          rows={4}
          spellCheck={false}
          aria-label={text('copy.label')}
          className="font-mono text-table!"
          value={content}
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
    </Dialog>
  );
}

/** The field has the focus before the dialog would give it to its first button. */
function select(field: HTMLTextAreaElement | null): void {
  field?.focus();
}
