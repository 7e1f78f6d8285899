import type { Endpoint } from '@switchyard/contract/endpoint';
import type { AnswerOf, InputOf } from './endpoint-types.ts';

/** How long a call may take, its retries included, and who may call it off. */
export interface CallLimits {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

/** Optional as a whole where nothing in it is required. */
type CallArguments<E extends Endpoint> =
  Record<never, never> extends InputOf<E>
    ? [input?: InputOf<E> & CallLimits]
    : [input: InputOf<E> & CallLimits];

export type Call = <const E extends Endpoint>(
  endpoint: E,
  ...input: CallArguments<E>
) => Promise<AnswerOf<E>>;
