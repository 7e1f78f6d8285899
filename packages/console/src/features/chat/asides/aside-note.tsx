import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Button } from '../../../kit/button.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { useText } from '../../../lib/i18n.ts';
import { unmarkAside } from '../actions/aside.ts';

/** Says what an aside is, and makes an ordinary conversation of it. */
export function AsideNote({
  threadId,
  origin,
  onOpened,
}: {
  threadId: string;
  /** The conversation that it stands beside, where that is not on the page already. */
  origin: string | null;
  onOpened: () => void;
}) {
  const text = useText('chat');
  const toast = useToast();
  const cache = useQueryClient();
  const open = useMutation({
    mutationFn: () => unmarkAside(threadId),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: keys.threads });
      onOpened();
    },
    onError: (error) => toast({ error }),
  });
  return (
    <div className="flex flex-wrap items-center gap-2 text-body text-text-2">
      <p className="min-w-0 flex-1 basis-48">
        {text('aside.note')}{' '}
        {origin === null ? null : (
          <Link
            href={`/chat/${origin}`}
            className="text-accent underline outline-accent focus-visible:outline-2"
          >
            {text('aside.origin')}
          </Link>
        )}
      </p>
      <Button size="s" disabled={open.isPending} onClick={() => open.mutate()}>
        {text('aside.open')}
      </Button>
    </div>
  );
}
