import type { InstanceEvent } from '@switchyard/contract/dispatch/instance-event';
import { readSentences } from '@switchyard/contract/sentences/read-sentences';
import type { Owner } from '../../lib/owner.ts';
import { sentenceOfKind } from './fleet-journal.ts';
import type { InstanceEventRow } from './instance-event-store.ts';

/**
 * A user who does not own the task reads that something happened, but neither which task it was nor what its error
 * says.
 */
export function viewInstanceEvent(row: InstanceEventRow, reader: Owner): InstanceEvent {
  const { owner, ...event } = row;
  const isForeign = owner !== null && 'user' in reader && reader.user !== owner;
  const shown = isForeign
    ? { ...event, message: sentenceOfKind(row.kind), taskId: null, attempt: null }
    : event;
  return { ...shown, sentences: readSentences(shown.message) };
}
