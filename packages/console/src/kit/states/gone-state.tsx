import { useText } from '../../lib/i18n.ts';
import { LinkButton } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { EmptyState } from './empty-state.tsx';

/** Something that the address names and that this user cannot see: what may have become of it, and where to look. */
export function GoneState({ kind }: { kind: 'workflow' | 'collection' }) {
  const text = useText('kit');
  return (
    <EmptyState
      title={text(`gone.${kind}`)}
      action={<LinkButton href="/shared">{text('gone.shared')}</LinkButton>}
      command="switchyard share received"
    >
      {text('gone.text')}
    </EmptyState>
  );
}

/** The same for a file, which the address opens in front of its page. */
export function GoneFile({ onClose }: { onClose: () => void }) {
  const text = useText('kit');
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('gone.file')}
      actions={<LinkButton href="/shared">{text('gone.shared')}</LinkButton>}
    >
      {text('gone.text')}
    </Dialog>
  );
}
