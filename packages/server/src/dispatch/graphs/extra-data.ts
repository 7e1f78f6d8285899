import { maskedSecret } from '@switchyard/contract/dispatch/settings';
import type { Fault } from '@switchyard/contract/errors';
import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../../lib/app-error.ts';
import { nearest } from '../../lib/nearest.ts';
import type { Graph } from './graph.ts';

/** The layout of the largest workflows that people draw has about 2 MB. */
const maxBytes = 4 * 1024 * 1024;
const deepest = 64;
const secretName =
  /token|secret|passw|credential|authori[sz]ation|cookie|bearer|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|(?:^|[-_ .])(?:auth|key)(?:$|[-_ .])/i;
/** Values that look like a key, even when their name says nothing. */
const secretValue = /^(?:bearer |basic |sk-|hf_|comfyui-|sy_pat_|eyJ[\w-]{8,}\.)/i;

/** Refuses extra data that is too large, too deep, or contains secrets that were masked when they were read. */
export function requireExtraData(extraData: Record<string, unknown>): void {
  const faults: Fault[] = [];
  if (isDeeperThan(extraData, deepest)) {
    faults.push(fault([], `extraData is nested deeper than ${deepest} levels.`));
  } else {
    const bytes = Buffer.byteLength(JSON.stringify(extraData));
    if (bytes > maxBytes) {
      faults.push(fault([], `extraData has ${bytes} bytes of JSON; at most ${maxBytes} are allowed.`));
    }
    for (const path of maskedPathsOf(extraData, [])) {
      const message = `${path.join('.')} is ${maskedSecret}, as it is shown and not as it was sent. Give the value, or copy the task with POST /api/tasks/{taskId}/retry.`;
      faults.push(fault(path, message));
    }
  }
  if (faults.length > 0) throw new AppError('validation_failed', { faults });
}

/** Every target must be a node. Whether it makes an output is for the worker to say, which knows the class. */
export function requireTargets(targets: readonly string[], graph: Graph): void {
  const faults = targets.flatMap((target, index) => {
    if (Object.hasOwn(graph, target)) return [];
    const near = nearest(target, Object.keys(graph));
    const hint = near === undefined ? '' : ` Did you mean ${near}?`;
    const message = `There is no node ${target} in the workflow. Give the ids of output nodes.${hint}`;
    return [{ in: 'body' as const, path: ['partialExecutionTargets', index], message, type: 'value_error' }];
  });
  if (faults.length > 0) throw new AppError('validation_failed', { faults });
}

/** The extra data as users see it: what may be a secret is masked, names and numbers stay. */
export function maskExtraData(extraData: Record<string, unknown>): Record<string, unknown> {
  return masked(extraData) as Record<string, unknown>;
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return secretValue.test(value) ? maskedSecret : value;
  if (Array.isArray(value)) return value.map(masked);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretName.test(name) && !isHarmless(inner) ? maskedSecret : masked(inner),
    ]),
  );
}

/** A value such as `max_tokens: 512` is not a secret. */
function isHarmless(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'boolean' || value === '';
}

function maskedPathsOf(value: unknown, path: string[]): string[][] {
  if (value === maskedSecret) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => maskedPathsOf(inner, [...path, name]));
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}

function fault(path: string[], message: string): Fault {
  return { in: 'body', path: ['extraData', ...path], message, type: 'value_error' };
}
