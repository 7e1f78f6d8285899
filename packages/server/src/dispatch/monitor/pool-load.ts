import { minuteMs } from '../../lib/time-units.ts';

/** Attempts of one instance that began in one minute and ended in one minute. Minutes are `2026-01-31T23:59`. */
export interface AttemptGroup {
  instanceId: string;
  startMinute: string;
  endMinute: string;
  attempts: number;
  completed: number;
  /** The seconds within the minute at which they began, and at which they ended, all together. */
  startSeconds: number;
  endSeconds: number;
}

/** Counts how much each instance worked, and how much the pool completed, minute by minute. */
export class PoolLoad {
  readonly minutes: string[];
  readonly completed: number[];
  readonly failed: number[];
  readonly #firstMs: number;
  readonly #nowMs: number;
  readonly #busyByInstance = new Map<string, number[]>();

  constructor({ nowMs, minutes }: { nowMs: number; minutes: number }) {
    this.#nowMs = nowMs;
    this.#firstMs = (Math.floor(nowMs / minuteMs) - minutes + 1) * minuteMs;
    this.minutes = Array.from({ length: minutes }, (_, index) =>
      new Date(this.#firstMs + index * minuteMs).toISOString(),
    );
    this.completed = this.minutes.map(() => 0);
    this.failed = this.minutes.map(() => 0);
  }

  get from(): string {
    return new Date(this.#firstMs).toISOString();
  }

  /** Attempts that have ended. */
  add(group: AttemptGroup): void {
    const { instanceId, attempts, completed, startSeconds, endSeconds } = group;
    const [start, end] = [this.#indexOf(group.startMinute), this.#indexOf(group.endMinute)];
    if (start === end) this.#work(instanceId, start, (endSeconds - startSeconds) * 1_000);
    else {
      this.#work(instanceId, start, attempts * minuteMs - startSeconds * 1_000);
      this.#work(instanceId, end, endSeconds * 1_000);
      for (let index = Math.max(start + 1, 0); index < end; index++)
        this.#work(instanceId, index, attempts * minuteMs);
    }
    if (this.completed[end] === undefined) return;
    this.completed[end] += completed;
    this.failed[end] = (this.failed[end] ?? 0) + attempts - completed;
  }

  /** An attempt that goes on. */
  addRunning({ instanceId, startedAt }: { instanceId: string; startedAt: string }): void {
    const startMs = Math.max(Date.parse(startedAt), this.#firstMs);
    for (let fromMs = startMs; fromMs < this.#nowMs; ) {
      const minuteEndMs = (Math.floor(fromMs / minuteMs) + 1) * minuteMs;
      const index = Math.floor((fromMs - this.#firstMs) / minuteMs);
      this.#work(instanceId, index, Math.min(minuteEndMs, this.#nowMs) - fromMs);
      fromMs = minuteEndMs;
    }
  }

  /** The part of each minute in which the instance worked, 0 to 1. */
  busyOf(instanceId: string): number[] {
    const worked = this.#busyByInstance.get(instanceId) ?? this.minutes.map(() => 0);
    return worked.map((ms, index) => {
      const ofMinute = Math.min(minuteMs, this.#nowMs - (this.#firstMs + index * minuteMs));
      return ofMinute <= 0 ? 0 : Math.round(Math.min(1, ms / ofMinute) * 100) / 100;
    });
  }

  /** The part of the whole time in which the instance worked, 0 to 1. */
  utilisationOf(instanceId: string): number {
    const worked = (this.#busyByInstance.get(instanceId) ?? []).reduce((sum, ms) => sum + ms, 0);
    return Math.round(Math.min(1, worked / (this.#nowMs - this.#firstMs || 1)) * 100) / 100;
  }

  #work(instanceId: string, index: number, ms: number): void {
    if (index < 0 || index >= this.minutes.length) return;
    const worked = this.#busyByInstance.get(instanceId) ?? this.minutes.map(() => 0);
    worked[index] = (worked[index] ?? 0) + Math.max(0, ms);
    this.#busyByInstance.set(instanceId, worked);
  }

  #indexOf(minute: string): number {
    return Math.floor((Date.parse(`${minute}:00Z`) - this.#firstMs) / minuteMs);
  }
}
