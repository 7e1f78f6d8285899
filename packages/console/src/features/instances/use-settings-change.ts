import { ApiError } from '@switchyard/client/errors';
import { getSettings, replaceSettings, type Settings } from '@switchyard/contract/dispatch/settings';
import { gateway } from '../../lib/gateway.ts';

const maxTries = 3;

/** Reads the configuration, changes it and writes it back; reads again when someone else has written in the meantime. */
export async function changeSettings(
  change: (settings: Settings) => Settings | null,
): Promise<Settings | null> {
  for (let tries = 1; ; tries++) {
    const settings = await gateway.call(getSettings);
    const changed = change(settings);
    if (changed === null) return null;
    try {
      const headers = { 'if-match': `"${settings.version}"` };
      return await gateway.call(replaceSettings, { body: changed, headers });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || tries === maxTries) throw error;
    }
  }
}
