import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, FolderOpen } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button, LinkButton } from '../../kit/button.tsx';
import { threadRunsQuery, threadTokensQuery } from '../../lib/data/threads.ts';
import { setPageTitle } from '../../lib/document-title.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';

/** The title of the conversation, and the tokens that it has used so far. */
export function ConversationHeader({
  threadId,
  title,
  onFiles,
}: {
  threadId: string | null;
  title: string;
  onFiles: (() => void) | null;
}) {
  const text = useText('chat');
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation may have the same title, at its own address.
  useEffect(() => {
    setPageTitle(title);
  }, [title, threadId]);
  return (
    <header className="sticky top-(--bar,0px) z-10 short:static flex min-h-12 items-center gap-2 border-b border-border bg-bg px-4">
      {threadId === null ? null : (
        <LinkButton
          href="/chat"
          variant="plain"
          className="md:hidden"
          icon={<ArrowLeft size={16} strokeWidth={1.75} aria-hidden />}
        >
          {text('threads.label')}
        </LinkButton>
      )}
      <h1
        ref={heading}
        tabIndex={-1}
        className="min-w-0 flex-1 truncate text-lead font-semibold outline-none"
      >
        {title}
      </h1>
      {threadId === null ? null : <ThreadUsage threadId={threadId} />}
      {onFiles ? (
        <Button
          variant="plain"
          icon={<FolderOpen size={16} strokeWidth={1.75} aria-hidden />}
          onClick={onFiles}
        >
          <span className="max-sm:sr-only">{text('files.open')}</span>
        </Button>
      ) : null}
    </header>
  );
}

function ThreadUsage({ threadId }: { threadId: string }) {
  const text = useText('chat');
  const format = useFormat();
  const { data } = useQuery(threadTokensQuery(threadId));
  const runs = useQuery(threadRunsQuery(threadId)).data ?? [];
  if (!data || data.total_tokens === 0) return null;
  // The number is that of the model's last input, as below its answer; without it, the gateway's estimate is shown.
  const given = runs.find(({ context_tokens: tokens }) => tokens != null)?.context_tokens;
  const { max_context_tokens: room = null, token_count: estimate = 0 } = data.context_usage ?? {};
  return (
    <p className="shrink-0 text-meta text-text-2 tabular-nums max-sm:hidden">
      {text('usage.tokens', { tokens: format.compact(data.total_tokens) })}
      {room
        ? ` · ${text('usage.context', { percent: format.percent(((given ?? estimate) / room) * 100) })}`
        : ''}
    </p>
  );
}
