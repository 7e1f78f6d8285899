import type { Instance, InstanceDetail, InstanceTest } from '@switchyard/contract/dispatch/instance';
import type { InstanceEventList } from '@switchyard/contract/dispatch/instance-event';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, sentencesOf, textOf } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { InstanceEventStore } from '../instances/instance-event-store.ts';
import { viewInstanceEvent } from '../instances/instance-event-view.ts';
import type { InstanceRow, InstanceStore } from '../instances/instance-store.ts';
import { viewInstance } from '../instances/instance-view.ts';
import type { Fleet } from './fleet.ts';
import type { TestedInstance } from './fleet-member.ts';

/** The time for which a test waits until this process takes charge of an instance that was added a moment ago. */
const ownerWaitMs = 5_000;

/** Shows and tests instances for clients; the configuration creates and removes them. */
export class Instances {
  readonly #options;

  constructor(
    options: Pick<DispatchParts, 'events' | 'audit'> & {
      store: InstanceStore;
      instanceEvents: Pick<InstanceEventStore, 'page'>;
      fleet: Fleet;
    },
  ) {
    this.#options = options;
  }

  /** Includes instances that have left the configuration and still end a task. */
  async list(): Promise<Instance[]> {
    const rows = await this.#options.store.list();
    return rows.map((row) => this.view(row));
  }

  async get(instanceId: string): Promise<InstanceDetail> {
    const row = await this.#row(instanceId, { withRemoved: true });
    const capabilities = await this.#options.store.capabilitiesOf(instanceId);
    return {
      ...this.view(row),
      capabilities: {
        known: capabilities !== undefined,
        nodeClasses: capabilities?.nodeClasses ?? [],
        models: capabilities?.models ?? {},
        updatedAt: capabilities?.updatedAt ?? null,
      },
    };
  }

  /** The newest first. The events of an instance are kept after the instance is removed. */
  async events(
    owner: Owner,
    instanceId: string,
    { limit, cursor }: { limit: number; cursor: string | undefined },
  ): Promise<InstanceEventList> {
    const page = { limit: limit + 1, before: cursor };
    const rows = await this.#options.instanceEvents.page(instanceId, page);
    if (rows.length === 0) await this.#row(instanceId);
    const items = rows.slice(0, limit).map((row) => viewInstanceEvent(row, owner));
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  /** Disabling drains; with `force` running tasks are interrupted and queued again. */
  async setEnabled(
    instanceId: string,
    { enabled, force, actor }: { enabled: boolean; force: boolean; actor: Actor },
  ): Promise<InstanceDetail> {
    await this.#row(instanceId);
    const alongside = this.#options.audit.part(actor, {
      action: enabled ? 'instance.enabled' : 'instance.disabled',
      target: ['instance', instanceId],
      details: enabled ? {} : { force },
    });
    await this.#options.store.setEnabled(instanceId, { enabled, giveBack: !enabled && force, alongside });
    await this.#options.fleet.apply();
    this.#options.events.announce({ type: 'fleet_changed' });
    return this.get(instanceId);
  }

  /** Probes now, and reports in words that a person can act on. */
  async test(instanceId: string): Promise<InstanceTest> {
    const row = await this.#row(instanceId);
    const tested = await this.#options.fleet.test(instanceId, { waitMs: ownerWaitMs });
    if (!tested) {
      const sentences = say('replica_silent');
      const message = textOf(sentences);
      return {
        ok: false,
        cause: 'unreachable',
        message,
        sentences,
        latencyMs: null,
        instance: this.view(row),
      };
    }
    const { outcome, untold } = tested;
    const instance = this.view(await this.#row(instanceId, { withRemoved: true }));
    const latencyMs = Math.round(outcome.latencyMs);
    if (!outcome.ok) {
      const { cause, message } = outcome;
      const sentences = tested.sentences ?? sentencesOf(message);
      return { ok: false, cause, message, sentences, latencyMs, instance };
    }
    const sentences = [...answerOf(instance, outcome), ...(tested.sentences ?? sentencesOf(untold ?? ''))];
    const message = textOf(sentences);
    return { ok: true, cause: null, message, sentences, latencyMs, instance };
  }

  /** An instance that has left the configuration can still be seen while it ends its task, but not be changed. */
  async #row(instanceId: string, { withRemoved = false } = {}): Promise<InstanceRow> {
    const row = await this.#options.store.get(instanceId);
    if (!row || (row.removed === 1 && !withRemoved)) throw new AppError('instance_not_found');
    return row;
  }

  /** The row with what this process knows of the instance. */
  view(row: InstanceRow): Instance {
    const member = this.#options.fleet.member(row.id);
    return member?.isInCharge ? member.view : viewInstance(member?.seen(row) ?? row, null);
  }
}

function answerOf(
  { devices: [device] }: Instance,
  { version, queueRemaining: count }: Extract<TestedInstance['outcome'], { ok: true }>,
): Sentence[] {
  const known = { version: version ?? 'unknown', count };
  return device ? say('test_answers_on', { ...known, device: device.name }) : say('test_answers', known);
}
