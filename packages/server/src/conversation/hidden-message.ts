import { isRecord } from '@switchyard/contract/is-record';

/** Part of the state that pages do not show, such as a summary that stands for earlier messages. */
export function isHidden({ additional_kwargs: extra }: { additional_kwargs?: unknown }): boolean {
  return isRecord(extra) && extra.hide_from_ui === true;
}
