import { Link } from 'wouter';
import { Button } from '../../../kit/button.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
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
  const { act, isBusy } = useAct();
  const open = async () => {
    if (await act(() => unmarkAside(threadId), { refresh: [keys.threads] })) onOpened();
  };
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
      <Button size="s" isBusy={isBusy} onClick={() => void open()}>
        {text('aside.open')}
      </Button>
    </div>
  );
}
