import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';
import { CommandLine } from '../command-line.tsx';
import { Dialog } from '../dialog.tsx';

/** Shows a secret that the gateway sends only this once. */
export function SecretDialog({
  secret,
  title,
  lead,
  onClose,
}: {
  /** Null while there is none. */
  secret: string | null;
  title: string;
  /** A text about the purpose of the secret, and who should get it. */
  lead: string;
  onClose: () => void;
}) {
  const text = useText('forms');
  return (
    <Dialog
      open={secret !== null}
      onClose={onClose}
      title={title}
      actions={
        <Button variant="solid" onClick={onClose}>
          {text('kept')}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p>{lead}</p>
        {secret !== null && <CommandLine command={secret} />}
        <p className="text-table text-text-2">{text('once')}</p>
      </div>
    </Dialog>
  );
}
