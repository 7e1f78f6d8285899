import { gatewayUrl } from '@switchyard/client/base-url';
import { loadConfig } from '@switchyard/server/config/load';
import { isProcessAlive } from '@switchyard/server/lib/is-process-alive';
import { readGatewayFile } from '@switchyard/server/ops/gateway-file';
import { CommandError } from './exit-codes.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { Logins, loginsFolder } from './logins.ts';
import type { Terminal } from './terminal.ts';

export interface GatewayAddress {
  url: string;
  token: string | undefined;
}

const defaultUrl = 'http://127.0.0.1:7300';

/**
 * Finds the gateway that a command calls: the one of the option, of the environment, the one that runs in the data home
 * of this folder, or the one of the last login. A stored token is sent only to the gateway that issued it.
 */
export function findGateway(
  options: GatewayOptions,
  terminal: Pick<Terminal, 'env' | 'cwd'>,
): GatewayAddress {
  const { env } = terminal;
  const logins = new Logins(loginsFolder(env));
  const url = readUrl(
    options.url || env.SWITCHYARD_URL || runningHere(terminal) || logins.newest()?.url || defaultUrl,
  );
  return { url, token: options.token || env.SWITCHYARD_TOKEN || logins.find(url)?.token };
}

function readUrl(text: string): string {
  try {
    return gatewayUrl(text);
  } catch (error) {
    throw new CommandError('usage', (error as Error).message, error);
  }
}

function runningHere({ env, cwd }: Pick<Terminal, 'env' | 'cwd'>): string | undefined {
  const home = dataHome({ env, cwd });
  const gateway = home === undefined ? null : readGatewayFile(home);
  // A gateway that was killed leaves its file behind.
  return gateway && isProcessAlive(gateway.pid) ? gateway.url : undefined;
}

function dataHome({ env, cwd }: Pick<Terminal, 'env' | 'cwd'>): string | undefined {
  try {
    return loadConfig({ flags: {}, env, cwd }).config.data_home;
  } catch {
    return undefined; // no gateway starts with this configuration; `switchyard config validate` says why
  }
}
