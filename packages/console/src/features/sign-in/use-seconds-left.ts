import { useMemo } from 'react';
import { useNow } from '../../lib/format/use-now.ts';
import type { SignInFault } from './sign-in-fault.ts';

/** Counts down to the moment at which the gateway accepts the next try. */
export function useSecondsLeft(fault: SignInFault | null): number {
  const now = useNow();
  const until = useMemo(() => Date.now() + (fault?.waitSeconds ?? 0) * 1_000, [fault]);
  return fault?.waitSeconds == null ? 0 : Math.max(0, Math.ceil((until - now) / 1_000));
}
