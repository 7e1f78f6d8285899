import type { McpServer } from '@switchyard/contract/conversation/mcp';
import { say, type Wording, withDetail } from '@switchyard/contract/sentences/sentences';
import { WordedError } from '../../lib/app-error.ts';
import { connectionFaultOf } from '../../platform/outbound/connection-fault.ts';

/** Errors that the client makes itself: the connection is gone, or nothing came in time. */
const connectionClosed = 'CONNECTION_CLOSED';
const requestTimeout = 'REQUEST_TIMEOUT';

/** Says why a server could not be used, in a sentence of the gateway where it has one for that. */
export function whyMcpFailed(error: unknown, server: McpServer): Wording {
  if (!(error instanceof Error)) return wordsOf(error);
  const { code } = error as { code?: unknown };
  // The first question that the client asks of a server has failed, for the reason below.
  if (code === 'ERA_NEGOTIATION_FAILED' && error.cause !== undefined)
    return whyMcpFailed(error.cause, server);
  if (error.name === 'TimeoutError' || code === requestTimeout)
    return say('no_answer_within', { seconds: server.session_init_timeout });
  if (server.type === 'stdio') return whyProgramFailed(error, server);
  const { status } = error as { status?: unknown };
  if (typeof status === 'number') return say('server_answered', { status, cause: wordsOf(error) });
  const fault = typeof code === 'string' ? connectionFaultOf(code) : null;
  if (fault !== null) return withDetail(say(`server_${fault}`), String(code));
  return code === connectionClosed ? say('server_broke_off') : wordsOf(error);
}

function whyProgramFailed(error: Error & { code?: unknown }, { command }: McpServer): Wording {
  if (error.code === 'ENOENT') return say('program_missing', { command: command ?? '' });
  return error.code === connectionClosed ? say('program_ended') : wordsOf(error);
}

function wordsOf(error: unknown): Wording {
  return error instanceof WordedError ? error.sentences : reasonOf(error);
}

/** Short, and without the cause, which may contain addresses. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : 'it stopped on an error of its own';
}
