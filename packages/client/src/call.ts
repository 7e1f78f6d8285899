import type { Endpoint } from '@switchyard/contract/endpoint';
import type { AnswerOf, InputOf } from './endpoint-types.ts';

/** The time that a call may take, including its retries, and the signal that aborts it. */
export interface CallLimits {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

/** Optional as a whole when no field is required. */
type CallArguments<E extends Endpoint> =
  Record<never, never> extends InputOf<E>
    ? [input?: InputOf<E> & CallLimits]
    : [input: InputOf<E> & CallLimits];

export type Call = <const E extends Endpoint>(
  endpoint: E,
  ...input: CallArguments<E>
) => Promise<AnswerOf<E>>;
