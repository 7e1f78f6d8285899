import { instanceEventKinds } from '@switchyard/contract/dispatch/instance-event';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Occurrence } from '../instances/fleet-journal.ts';
import { InstanceLabels } from '../instances/instance-labels.ts';
import type { Fleet } from './fleet.ts';

/** The metrics of single instances. The label of an instance is removed with the instance. */
export class InstanceMetrics {
  readonly #metrics;
  readonly #labels = new InstanceLabels();

  constructor(
    metrics: Pick<Metrics, 'instanceEvents' | 'instanceEventsUnrecorded' | 'instanceUp' | 'beforeScrape'>,
  ) {
    this.#metrics = metrics;
  }

  readonly count = ({ kind, instanceId }: Pick<Occurrence, 'kind' | 'instanceId'>): void => {
    const instance = this.#labels.of(instanceId);
    this.#metrics.instanceEvents.inc({ instance, event: kind });
    if (kind === 'removed') this.#forget(instanceId);
  };

  readonly countUnrecorded = (events: number): void => {
    this.#metrics.instanceEventsUnrecorded.inc(events);
  };

  /** Reads at each request of the metrics which instances answer. */
  watch(fleet: Pick<Fleet, 'views'>): void {
    const { instanceUp } = this.#metrics;
    this.#metrics.beforeScrape(() => {
      instanceUp.reset();
      for (const { id, alive } of fleet.views()) {
        const instance = this.#labels.of(id);
        if (instance === id) instanceUp.set({ instance }, alive ? 1 : 0);
      }
    });
  }

  #forget(instanceId: string): void {
    if (!this.#labels.forget(instanceId)) return;
    for (const event of instanceEventKinds) {
      this.#metrics.instanceEvents.remove({ instance: instanceId, event });
    }
  }
}
