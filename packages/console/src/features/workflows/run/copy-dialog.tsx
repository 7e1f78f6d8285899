import { CommandLine } from '../../../kit/command-line.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { RunCommands } from '../form/run-commands.ts';

interface CopyDialogProps {
  open: boolean;
  onClose: () => void;
  commands: RunCommands;
}

/** The same run for a terminal, for the command line and for a program. */
export function CopyDialog({ open, onClose, commands }: CopyDialogProps) {
  const text = useText('workflows');
  return (
    <Dialog open={open} onClose={onClose} title={text('copy.title')} wide>
      <div className="flex flex-col gap-4">
        {(['cli', 'curl', 'client'] as const).map((kind) => (
          <section key={kind} className="flex flex-col gap-1">
            <h3 className="text-table font-medium">{text(`copy.${kind}`)}</h3>
            <CommandLine command={commands[kind]} />
          </section>
        ))}
        <p className="text-table text-text-2">{text('copy.token')}</p>
      </div>
    </Dialog>
  );
}
