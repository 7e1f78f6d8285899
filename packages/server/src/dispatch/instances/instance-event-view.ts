import type { InstanceEvent } from '@switchyard/contract/dispatch/instance-event';
import { textOf } from '@switchyard/contract/sentences/sentences';
import type { Owner } from '../../lib/owner.ts';
import { storedSentences } from '../stored-sentences.ts';
import { sentencesOfKind } from './fleet-journal.ts';
import type { InstanceEventRow } from './instance-event-store.ts';

/**
 * A user who does not own the task reads that something happened, but neither which task it was nor what its error
 * says.
 */
export function viewInstanceEvent(row: InstanceEventRow, reader: Owner): InstanceEvent {
  const { owner, ...event } = row;
  const isForeign = owner !== null && 'user' in reader && reader.user !== owner;
  if (!isForeign) return { ...event, sentences: storedSentences(event.message, event.sentences) };
  const sentences = sentencesOfKind(row.kind);
  return { ...event, message: textOf(sentences), sentences, taskId: null, attempt: null };
}
