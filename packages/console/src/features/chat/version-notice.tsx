import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import { Button } from '../../kit/button.tsx';
import { useText } from '../../lib/i18n.ts';

interface VersionNoticeProps {
  version: AnswerVersion;
  onNewest: () => void;
}

/** Says that an older version is read, and where the next message would go. */
export function VersionNotice({ version, onNewest }: VersionNoticeProps) {
  const text = useText('chat');
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-card border border-border bg-sunken px-3 py-2 text-body">
      <p role="status" className="min-w-0 flex-1 basis-60">
        {text(version.checkpoint_id === null ? 'versions.readOnly' : 'versions.reading')}
      </p>
      <Button size="s" onClick={onNewest}>
        {text('versions.newest')}
      </Button>
    </div>
  );
}
