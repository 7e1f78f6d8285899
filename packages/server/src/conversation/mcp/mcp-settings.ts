import { type McpServer, type McpServerInput, mcpServer } from '@switchyard/contract/conversation/mcp';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { Value } from 'typebox/value';
import { AppError } from '../../lib/app-error.ts';
import type { McpNetwork } from './mcp-network.ts';

export type McpServerSettings = Record<string, McpServer>;

const mask = '***';

/** The stored form. A file that was edited by hand may leave fields out. */
export function storedServers(value: unknown): McpServerSettings {
  const servers = withDefaults((value ?? {}) as Record<string, McpServerInput>);
  for (const [name, server] of Object.entries(servers)) {
    if (Value.Check(mcpServer, server)) continue;
    throw new AppError('mcp_config_invalid', {
      message: say('mcp_server_unreadable', { name }),
    });
  }
  return servers;
}

export function withDefaults(given: Record<string, McpServerInput>): McpServerSettings {
  return Object.fromEntries(
    Object.entries(given).map(([name, server]) => [
      name,
      {
        enabled: true,
        command: null,
        args: [],
        env: {},
        url: null,
        headers: {},
        description: '',
        session_init_timeout: 30,
        tool_call_timeout: 60,
        ...server,
      },
    ]),
  );
}

/** Looks at own properties only, because `constructor` is a valid name for a server. */
export function serverNamed(servers: McpServerSettings, name: string): McpServer | undefined {
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
}

export function masked(servers: McpServerSettings): McpServerSettings {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      { ...server, env: maskedValues(server.env), headers: maskedValues(server.headers) },
    ]),
  );
}

/** Puts the stored secrets back where the caller sent `***`. */
export function unmasked(given: McpServerSettings, stored: McpServerSettings): McpServerSettings {
  return Object.fromEntries(
    Object.entries(given).map(([name, server]) => [
      name,
      withSecrets(name, server, serverNamed(stored, name)),
    ]),
  );
}

export function requireAllowed(
  servers: McpServerSettings,
  {
    allowedCommands,
    network,
  }: { allowedCommands: readonly string[]; network: Pick<McpNetwork, 'whyDenied'> },
): void {
  for (const [name, server] of Object.entries(servers)) {
    if (server.type === 'stdio') requireSafeProcess(name, server, allowedCommands);
    else {
      requireAddress(name, server, network);
      requireHeaders(name, server);
    }
  }
}

function maskedValues(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((key) => [key, mask]));
}

function withSecrets(name: string, given: McpServer, stored: McpServer | undefined): McpServer {
  // A secret is for the address or program that it was set for. It is not passed on when that changes.
  const known = stored && receiverOf(stored) === receiverOf(given) ? stored : undefined;
  const restored = (part: 'env' | 'headers') =>
    Object.fromEntries(
      Object.entries(given[part]).map(([key, value]) => {
        if (value !== mask) return [key, value];
        const secret = known && Object.hasOwn(known[part], key) ? known[part][key] : undefined;
        if (secret !== undefined) return [key, secret];
        throw refused([name, part, key], say('secret_not_stored', { mask }));
      }),
    );
  return { ...given, env: restored('env'), headers: restored('headers') };
}

function receiverOf({ type, command, args, url }: McpServer): string {
  return JSON.stringify(type === 'stdio' ? [command, args] : [url]);
}

/** Flags by which a program runs code from its command line instead of the named server. */
const codeFlag =
  /^(-[cepr].*|--(eval|print|call|require|import|loader|experimental-loader|node-options|shell)(=.*)?)$/i;
/** Variables that make another program run instead of the named one. */
const codeVariable =
  /^(node_options|node_path|path|env|bash_env|shell|ld_.*|dyld_.*|python(path|home|startup|inspect)|perl5(opt|lib)|ruby(opt|lib)|java_tool_options|npm_config_.*)$/i;

function requireSafeProcess(name: string, server: McpServer, allowedCommands: readonly string[]): void {
  const { command, args, env } = server;
  if (command === null || !allowedCommands.includes(command)) {
    const why =
      allowedCommands.length === 0
        ? say('mcp_commands_empty')
        : say('mcp_command_not_listed', { names: allowedCommands.join(', ') });
    throw refused([name, 'command'], why);
  }
  const flag = args.find((argument) => codeFlag.test(argument));
  if (flag !== undefined) {
    const [option = ''] = flag.split('=');
    throw refused([name, 'args'], say('mcp_argument_runs_code', { flag: option }));
  }
  const text = [...args, ...Object.entries(env).flat()].find((each) => each.includes('\0'));
  if (text !== undefined) throw refused([name, 'args'], say('mcp_null_characters'));
  const variable = Object.keys(env).find((key) => codeVariable.test(key) || key.includes('='));
  if (variable !== undefined) throw refused([name, 'env', variable], say('mcp_variable_runs_code'));
}

function requireAddress(name: string, { url }: McpServer, network: Pick<McpNetwork, 'whyDenied'>): void {
  const address = url !== null && URL.canParse(url) ? new URL(url) : null;
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw refused([name, 'url'], say('mcp_address_scheme'));
  }
  if (address.username || address.password) {
    throw refused([name, 'url'], say('mcp_address_credentials'));
  }
  const why = network.whyDenied(address.href);
  if (why !== null) throw refused([name, 'url'], say('address_denied', { cause: why }));
}

function requireHeaders(name: string, { headers }: McpServer): void {
  for (const [key, value] of Object.entries(headers)) {
    try {
      new Headers([[key, value]]);
    } catch {
      // The original message would reveal the value.
      throw refused([name, 'headers', key], say('mcp_header_characters'));
    }
  }
}

function refused(path: string[], why: Wording): AppError {
  return new AppError('mcp_config_invalid', {
    message: say('mcp_setting', { path: path.join('.'), cause: why }),
  });
}
