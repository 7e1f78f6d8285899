import { CircleAlert, X } from 'lucide-react';
import { IconButton } from '../../../kit/button.tsx';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import type { ReadFile } from '../../../lib/workflow-file/read-workflow-file.ts';

/** Says what a file without a graph is, and what to do instead. */
export function FoundFile({
  found,
  onClose,
}: {
  found: Exclude<ReadFile, { kind: 'graph' }>;
  onClose: () => void;
}) {
  const text = useText('workflows');
  return (
    <div className="flex items-start gap-3 rounded-card border border-border bg-surface p-3">
      <CircleAlert size={20} strokeWidth={1.75} aria-hidden className="mt-0.5 shrink-0 text-waiting" />
      <div className="min-w-0 flex-1">
        <p className="text-body font-medium break-words">
          <Sentence found={found} />
        </p>
        <p className="text-body text-text-2">
          {text(found.kind === 'editor' ? 'found.exportApi' : 'found.tryOther')}
        </p>
      </div>
      <IconButton
        label={text('found.close')}
        icon={<X size={16} strokeWidth={1.75} aria-hidden />}
        onClick={onClose}
      />
    </div>
  );
}

function Sentence({ found }: { found: Exclude<ReadFile, { kind: 'graph' }> }) {
  const text = useText('workflows');
  const format = useFormat();
  const { name } = found;
  switch (found.kind) {
    case 'editor':
      return text('found.editor', { name, count: found.nodes });
    case 'too_large':
      return text('found.tooLarge', { name, size: format.bytes(found.sizeBytes) });
    case 'other_json':
      return text('found.otherJson', { name });
    case 'broken_json':
      return text('found.brokenJson', { name });
    default:
      return text(`found.${found.from}`, { name });
  }
}
