import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { WorkerStatus } from '../worker-client.ts';
import { callFailure, failureOfStatus } from './call-failure.ts';
import { optionalNumber, optionalText, queueInfo, readJson } from './wire.ts';
import type { WorkerHttp } from './worker-http.ts';

const maxAnswerBytes = 1_048_576;
const maxDevices = 64;

const systemStats = Compile(
  Type.Object({
    system: Type.Object({
      comfyui_version: optionalText,
      pytorch_version: optionalText,
      ram_total: optionalNumber,
      ram_free: optionalNumber,
    }),
    devices: Type.Array(
      Type.Object({
        name: optionalText,
        type: optionalText,
        vram_total: optionalNumber,
        vram_free: optionalNumber,
      }),
    ),
  }),
);

/** Returns the kind of the server, and how busy it is. Both answers are needed: no other kind of server gives both. */
export async function askStatus(
  http: WorkerHttp,
  options: { deadlineMs: number; signal?: AbortSignal | undefined },
): Promise<WorkerStatus> {
  const ask = async (path: string) => {
    const answer = await http.call({ method: 'GET', path, maxBytes: maxAnswerBytes, ...options });
    const failure = failureOfStatus(answer.status, http.label);
    if (failure) throw failure;
    return answer.body;
  };
  const [stats, info] = await Promise.all([ask('/system_stats'), ask('/prompt')]);
  try {
    const { system, devices } = readJson(stats, systemStats, http.label);
    const { exec_info: execInfo } = readJson(info, queueInfo, http.label);
    return {
      version: printable(system.comfyui_version) ?? null,
      devices: devices.slice(0, maxDevices).map((device) => ({
        name: (device.name ?? device.type ?? 'device').slice(0, 200),
        memoryTotalBytes: device.vram_total ?? null,
        memoryFreeBytes: device.vram_free ?? null,
      })),
      system: told({
        pytorchVersion: printable(system.pytorch_version),
        ramTotalBytes: system.ram_total,
        ramFreeBytes: system.ram_free,
      }),
      queueRemaining: execInfo.queue_remaining,
    };
  } catch (cause) {
    throw callFailure('not_comfyui', http.label, { cause, detail: 'it answers, but not like ComfyUI' });
  }
}

/** Some databases refuse a NUL. */
function printable(version: string | null | undefined): string | undefined {
  return version?.replace(/\p{Cc}/gu, '').slice(0, 100);
}

/** Returns the facts without those that the worker does not report. */
function told<Facts extends object>(facts: Facts): { [Name in keyof Facts]?: NonNullable<Facts[Name]> } {
  const known = Object.entries(facts).filter(
    ([, fact]) => fact !== undefined && fact !== null && fact !== '',
  );
  return Object.fromEntries(known) as { [Name in keyof Facts]?: NonNullable<Facts[Name]> };
}

/**
 * Returns whether it can stop one prompt without stopping those of other clients: ComfyUI can since 0.3.57. Other servers
 * have no version of that form.
 */
export function canStopOneRun(version: string | null): boolean {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version ?? '');
  if (!match) return true;
  const [major = 0, minor = 0, patch = 0] = match.slice(1).map(Number);
  if (major !== 0) return major > 0;
  return minor > 3 || (minor === 3 && patch >= 57);
}
