import type { ThreadMessage } from '@switchyard/contract/conversation/run-events';
import type { ThreadState } from '@switchyard/contract/conversation/thread';
import { useMemo, useState } from 'react';
import { copiedMessages, knowsWhatWasCopied } from './model/copied-messages.ts';

/**
 * What a branch has copied. It never changes, so it is kept once it is certain: while another version of the first answer begins,
 * the state and the messages may be of different versions.
 */
export function useCopied(
  state: ThreadState | undefined,
  said: readonly ThreadMessage[],
): readonly ThreadMessage[] {
  const [known, setKnown] = useState<readonly ThreadMessage[] | null>(null);
  const copied = useMemo(() => (state ? copiedMessages(state, said) : []), [state, said]);
  if (known !== null) return known;
  if (state && knowsWhatWasCopied(state, said)) setKnown(copied);
  return copied;
}
