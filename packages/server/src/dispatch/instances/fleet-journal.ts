import type { InstanceEventKind } from '@switchyard/contract/dispatch/instance-event';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, sentencesOf, textOf, type Wording } from '@switchyard/contract/sentences/sentences';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { sentencesColumn } from '../stored-sentences.ts';
import type { InstanceEventRow, InstanceEventStore } from './instance-event-store.ts';

/** Something that happened to an instance, or to an attempt of a task on it. */
export interface Occurrence {
  kind: InstanceEventKind;
  instanceId: string;
  /** One sentence. When it names a task, only its owner and administrators read it. */
  message: Wording;
  task?: { id: string; owner: string; attempt: number };
}

/** Many events are written in one write, at most this late while the database keeps up. */
const delayMs = 250;
/** More than this wait only when the database does not keep up; newer events are then only in the log. */
const maxWaiting = 1_000;
const maxInOneWrite = 200;
const keptOfEach = 1_000;
/** The record of an instance is trimmed each time that it has grown by this many. */
const grownBy = 200;
const maxInstancesCounted = 2_000;
const maxMessageLength = 500;

/**
 * The one place that every occurrence of the fleet passes: it makes the log line, the metric and the stored event.
 * `note` returns at once, writes nothing itself and never throws, so that dispatch does not wait for it.
 */
export class FleetJournal {
  readonly #options;
  readonly #timer: Timer;
  #waiting: InstanceEventRow[] = [];
  #unrecorded = 0;
  #lastIdMs = 0;
  readonly #grown = new Map<string, number>();
  #stopTimer: (() => void) | null = null;
  #writing: Promise<void> | null = null;

  constructor(
    options: Pick<DispatchParts, 'clock' | 'log'> & {
      store: Pick<InstanceEventStore, 'insert' | 'trim'>;
      /** Counts the occurrences, and those that could not be recorded. */
      count: (occurrence: Pick<Occurrence, 'kind' | 'instanceId'>) => void;
      countUnrecorded: (events: number) => void;
      timer?: Timer;
    },
  ) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  note(given: Occurrence): void {
    const occurrence = { ...given, message: shortened(given.message) };
    this.#log(occurrence);
    this.#options.count(occurrence);
    if (this.#waiting.length < maxWaiting) this.#waiting.push(this.#rowOf(occurrence));
    else this.#unrecorded += 1;
    this.#plan();
  }

  /** Writes the waiting events; used before closing. */
  async settle(): Promise<void> {
    await this.#writing;
    while (this.#waiting.length > 0) await this.#write();
    this.#stopTimer?.();
    this.#stopTimer = null;
  }

  #log({ kind, instanceId, message, task }: Occurrence): void {
    const facts = {
      event: kind,
      instanceId,
      ...(task && { taskId: task.id, attempt: task.attempt }),
      reason: textOf(message),
    };
    this.#options.log[levelOf[kind]](facts, textOf(sentencesOfKind(kind)));
  }

  /** Ids also ascend within a millisecond, since they are the order in which the record is read. */
  #rowOf({ kind, instanceId, message, task }: Occurrence): InstanceEventRow {
    const nowMs = this.#options.clock();
    this.#lastIdMs = Math.max(nowMs, this.#lastIdMs + 1);
    return {
      id: newTimeOrderedId(this.#lastIdMs),
      instanceId,
      kind,
      at: toIso(nowMs),
      message: textOf(message),
      sentences: sentencesColumn(message),
      taskId: task?.id ?? null,
      attempt: task?.attempt ?? null,
      owner: task?.owner ?? null,
    };
  }

  #plan(): void {
    if (this.#writing !== null) return;
    this.#stopTimer ??= this.#timer(() => {
      this.#stopTimer = null;
      this.#writing = this.#write().finally(() => {
        this.#writing = null;
        if (this.#waiting.length > 0) this.#plan();
      });
    }, delayMs);
  }

  async #write(): Promise<void> {
    const rows = this.#waiting.splice(0, maxInOneWrite);
    try {
      await this.#options.store.insert(rows);
      await this.#trimGrown(rows);
    } catch (error) {
      this.#unrecorded += rows.length;
      this.#options.log.warn({ err: error }, 'events of instances could not be recorded');
    }
    this.#reportUnrecorded();
  }

  async #trimGrown(rows: readonly InstanceEventRow[]): Promise<void> {
    for (const { instanceId } of rows) this.#grown.set(instanceId, (this.#grown.get(instanceId) ?? 0) + 1);
    for (const [instanceId, grown] of this.#grown) {
      if (grown < grownBy) continue;
      this.#grown.delete(instanceId);
      await this.#options.store.trim(instanceId, keptOfEach);
    }
    const [oldest] = this.#grown.keys();
    if (this.#grown.size > maxInstancesCounted && oldest !== undefined) this.#grown.delete(oldest);
  }

  #reportUnrecorded(): void {
    if (this.#unrecorded === 0) return;
    this.#options.countUnrecorded(this.#unrecorded);
    this.#options.log.warn({ events: this.#unrecorded }, 'events of instances are missing from the record');
    this.#unrecorded = 0;
  }
}

/** Cuts what the last sentence quotes, which keeps the codes of the others. */
function shortened(message: Wording): Wording {
  const text = textOf(message);
  const surplus = text.length - maxMessageLength;
  if (surplus <= 0) return message;
  const sentences = sentencesOf(message);
  const quoted = sentences.at(-1)?.values.text ?? '';
  if (quoted.length <= surplus) return `${text.slice(0, maxMessageLength - 1)}…`;
  return [...sentences.slice(0, -1), ...sentencesOf(`${quoted.slice(0, -surplus - 1)}…`)];
}

const levelOf: Record<InstanceEventKind, 'info' | 'warn'> = {
  added: 'info',
  up: 'info',
  down: 'warn',
  restarted: 'warn',
  suspect: 'warn',
  trusted: 'info',
  deaf: 'warn',
  hearing: 'info',
  capabilities_changed: 'info',
  enabled: 'info',
  draining: 'info',
  drained: 'info',
  removed: 'info',
  refused: 'warn',
  failed: 'info',
  lost: 'warn',
  queued_again: 'info',
};

/** The sentence for an event, in the log and for users who do not own its task. */
export function sentencesOfKind(kind: InstanceEventKind): Sentence[] {
  return say(`event_${kind}`);
}
